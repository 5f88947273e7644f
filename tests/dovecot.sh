#!/bin/sh
# dovecot.sh - a private, throwaway Dovecot on loopback, for tests and the demo.
#
#	dovecot.sh run DIR     serve until the end of standard input, as
#	                       servers/common.sh says; DIR is removed then
#	dovecot.sh start DIR   the same in the background; returns when it is up
#	dovecot.sh stop DIR    ends that, returns when all is gone
#	dovecot.sh deliver DIR USER <MAIL     one message over LMTP
#
# DIR/env holds IMAP_PORT (plain and STARTTLS), IMAPS_PORT, LMTP_PORT, CA_FILE
# and PASSWORD; any user name exists. Needs no root and no standard port; as
# root it serves as nobody. LAYOUT is maildir (usual) or mdbox, CERT a name of
# certs.sh.
# shellcheck disable=SC1091,SC2015,SC2154 # common.sh gives names
set -eu
here=$(dirname "$0")
verb=$1
dir=$2
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
PATH=$PATH:/usr/sbin:/sbin
. "$here/servers/common.sh"

write_config() {
	# shellcheck disable=SC2046 # three words
	set -- $(free_ports 3)
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

start() {
	. "$dir/env"
	serve dovecot -F -c "$dir/dovecot.conf"
	answers "$LMTP_PORT" "$pid" && return
	cat "$dir/dovecot.log" >&2
	kill_all
	return 1
}

# deliver USER FILE
deliver() {
	. "$dir/env"
	lmtp "$LMTP_PORT" "$1" <"$2"
}

run() {
	mkdir -p "$dir/run" "$dir/home"
	trap 'rm -rf "$dir"' EXIT
	"$here/certs.sh" "$dir" "${CERT:-good}"
	mv "$dir/${CERT:-good}.pem" "$dir/server.pem"
	[ -z "$as" ] || chown -R "$user:$group" "$dir"
	chmod 755 "$dir"
	control
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
	deliver "$3" /dev/stdin
	;;
*)
	exit 64
	;;
esac
