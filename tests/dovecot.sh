#!/bin/sh
# dovecot.sh - a private, throwaway Dovecot on loopback, for tests and the demo.
#
#	dovecot.sh run DIR     serve in the foreground, told what to do by lines
#	                       on standard input: "stop", "start", "quit"; the
#	                       end of the input is "quit". Answers "up" and
#	                       "down". quit removes DIR.
#	dovecot.sh start DIR   the same in the background; returns when it is up
#	dovecot.sh stop DIR    ends that, returns when all is gone
#	dovecot.sh deliver DIR USER <MAIL     one message over LMTP
#
# DIR/env holds IMAP_PORT (plain and STARTTLS), IMAPS_PORT, LMTP_PORT, CA_FILE
# and PASSWORD; any user name exists. Needs no root and no standard port; as
# root it serves as nobody. LAYOUT is maildir (usual) or mdbox, CERT a name of
# certs.sh.
set -eu
here=$(dirname "$0")
verb=$1
dir=$2
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
PATH=$PATH:/usr/sbin:/sbin

user=$(id -un) group=$(id -gn) as=
if [ "$(id -u)" = 0 ]; then
	user=nobody group=nogroup
	as="--reuid=nobody --regid=nogroup --clear-groups"
fi

free_ports() {
	python3 - <<-'END'
	import socket
	s = [socket.socket() for _ in range(3)]
	for x in s:
	    x.bind(("127.0.0.1", 0))
	print(*[x.getsockname()[1] for x in s])
	END
}

write_config() {
	# shellcheck disable=SC2046 # three words
	set -- $(free_ports)
	cat >"$dir/env" <<-END
	IMAP_PORT=$1
	IMAPS_PORT=$2
	LMTP_PORT=$3
	CA_FILE=$dir/ca.crt
	PASSWORD=secret
	END
	cat >"$dir/dovecot.conf" <<-END
	base_dir = $dir/run
	state_dir = $dir/run
	instance_name = test-$1
	log_path = $dir/dovecot.log
	protocols = imap lmtp
	listen = 127.0.0.1
	default_internal_user = $user
	default_login_user = $user
	default_internal_group = $group
	first_valid_uid = 1
	first_valid_gid = 1
	mail_location = ${LAYOUT:-maildir}:$dir/home/%n/mail
	mail_fsync = never
	mail_max_userip_connections = 100
	ssl = yes
	ssl_cert = <$dir/server.pem
	ssl_key = <$dir/server.pem
	ssl_min_protocol = TLSv1.2
	disable_plaintext_auth = no
	auth_mechanisms = plain login anonymous xoauth2
	auth_anonymous_username = anonymous
	auth_failure_delay = 0
	passdb {
	  driver = static
	  args = password=secret
	}
	userdb {
	  driver = static
	  args = uid=$user gid=$group home=$dir/home/%n
	}
	service anvil {
	  chroot =
	  # no growing delay after a wrong password
	  unix_listener anvil-auth-penalty {
	    mode = 0
	  }
	}
	service stats {
	  chroot =
	}
	service imap-login {
	  chroot =
	  service_count = 0
	  inet_listener imap {
	    port = $1
	  }
	  inet_listener imaps {
	    port = $2
	    ssl = yes
	  }
	}
	service lmtp {
	  user = $user
	  inet_listener lmtp {
	    address = 127.0.0.1
	    port = $3
	  }
	}
	END
}

# Dovecot listens only when it is ready, so a port that answers says all.
answers() {
	python3 - "$LMTP_PORT" "$1" <<-'END'
	import os, socket, sys, time
	port, pid = int(sys.argv[1]), int(sys.argv[2])
	end = time.monotonic() + 20
	while time.monotonic() < end:
	    try:
	        with socket.create_connection(("127.0.0.1", port)) as s:
	            sys.exit(s.recv(1) == b"")
	    except OSError:
	        if open(f"/proc/{pid}/stat").read().split(") ")[1][0] == "Z":
	            sys.exit(1)
	        time.sleep(0.02)
	sys.exit(1)
	END
}

# Leaves the server's process in $pid, 0 when it is not up. Should this shell
# be killed, the server goes with it.
pid=0
start() {
	. "$dir/env"
	# shellcheck disable=SC2086 # words on purpose
	env -i PATH="$PATH" HOME="$dir" setsid setpriv $as --pdeathsig TERM \
		dovecot -F -c "$dir/dovecot.conf" </dev/null >&2 3>&- &
	pid=$!
	if ! answers $pid; then
		kill_all
		return 1
	fi
}

# Its children, left alone, would serve their clients for ten seconds more.
kill_all() {
	if [ $pid != 0 ]; then
		kill -KILL -$pid 2>/dev/null || :
		wait $pid 2>/dev/null || :
	fi
	pid=0
}

stop() {
	if [ $pid != 0 ]; then
		kill -TERM $pid 2>/dev/null || :
		wait $pid 2>/dev/null || :
	fi
	kill_all
}

# The free ports may be taken by another before we have them.
start_anew() {
	for _ in 1 2 3; do
		write_config
		! start || return 0
	done
	cat "$dir/dovecot.log" >&2
	return 1
}

run() {
	mkdir -p "$dir/run" "$dir/home"
	trap 'rm -rf "$dir"' EXIT
	trap 'kill_all; exit 1' HUP INT TERM
	"$here/certs.sh" "$dir" "${CERT:-good}"
	mv "$dir/${CERT:-good}.pem" "$dir/server.pem"
	[ -z "$as" ] || chown -R "$user:$group" "$dir"
	chmod 755 "$dir"
	start_anew || exit 1
	echo up
	while read -r word && [ "$word" != quit ]; do
		case $word in
		stop) stop; echo down ;;
		start) start && echo up || exit 1 ;;
		esac
	done
	kill_all
}

case $verb in
run)
	run
	;;
start)
	mkdir -p "$dir"
	mkfifo "$dir/control" "$dir/answer"
	# Read and write: neither end waits for the other, none sees an end.
	"$0" run "$dir" <>"$dir/control" >"$dir/answer" 2>"$dir/log" &
	read -r word <"$dir/answer" && [ "$word" = up ] || {
		cat "$dir/log" >&2
		exit 1
	}
	;;
stop)
	exec 3<"$dir/answer"
	echo quit >"$dir/control"
	# the end of its output is the end of the runner
	read -r word <&3 || :
	;;
deliver)
	. "$dir/env"
	python3 -c '
import smtplib, sys
with smtplib.LMTP("127.0.0.1", int(sys.argv[1])) as s:
    s.sendmail("lkp@intel.com", [sys.argv[2]], sys.stdin.buffer.read())
' "$LMTP_PORT" "$3"
	;;
*)
	exit 64
	;;
esac
