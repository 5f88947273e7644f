# common.sh - what the private test servers share; read by their scripts.
#
# A server runs in a session of its own, as nobody when we are root. It is told
# what to do by lines on standard input, and lives until their end:
#	stop                -> "down"
#	start               -> "up" (also said after the first start)
#	deliver USER FILE   -> "delivered" or "failed"
#	quit
# The script that reads this gives the functions start, which sets $pid and
# fails when the server does not come up, and deliver.
# shellcheck shell=sh

# shellcheck disable=SC2034 # used by those who read this
user=$(id -un) group=$(id -gn) as=
if [ "$(id -u)" = 0 ]; then
	user=nobody group=nogroup
	as="--reuid=nobody --regid=nogroup --clear-groups"
fi

# free_ports N
free_ports() {
	python3 - "$1" <<-'END'
	import socket, sys
	s = [socket.socket() for _ in range(int(sys.argv[1]))]
	for x in s:
	    x.bind(("127.0.0.1", 0))
	print(*[x.getsockname()[1] for x in s])
	END
}

# answers PORT PID - waits until the port takes connections; fails when the
# process is gone before, or after twenty seconds.
answers() {
	python3 - "$1" "$2" <<-'END'
	import socket, sys, time
	port, pid = map(int, sys.argv[1:])
	end = time.monotonic() + 20
	while time.monotonic() < end:
	    try:
	        socket.create_connection(("127.0.0.1", port)).close()
	        sys.exit(0)
	    except OSError:
	        try:
	            stat = open(f"/proc/{pid}/stat").read()
	        except OSError:
	            break
	        if stat.split(") ")[1][0] == "Z":
	            break
	        time.sleep(0.02)
	sys.exit(1)
	END
}

# Runs a server in the background and leaves its process in $pid. Should this
# shell be killed, the server goes with it.
pid=0
serve() {
	# shellcheck disable=SC2086,SC2154 # words on purpose; dir is theirs
	env -i PATH="$PATH" HOME="$dir" setsid setpriv $as --pdeathsig TERM \
		"$@" </dev/null >&2 &
	pid=$!
}

# A server's children, left alone, would serve their clients for a while.
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

# Serves until the input ends. The free ports may be taken by another before
# we have them: write_config is asked again then.
control() {
	trap 'kill_all; exit 1' HUP INT TERM
	write_config
	start || { write_config && start; } || { write_config && start; }
	echo up
	while read -r word who file && [ "$word" != quit ]; do
		case $word in
		stop) stop; echo down ;;
		start) start && echo up || exit 1 ;;
		deliver) deliver "$who" "$file" && echo delivered ||
				echo failed ;;
		esac
	done
	kill_all
}

# lmtp PORT USER <MAIL
lmtp() {
	python3 -c '
import smtplib, sys
with smtplib.LMTP("127.0.0.1", int(sys.argv[1])) as s:
    s.sendmail("lkp@intel.com", [sys.argv[2]], sys.stdin.buffer.read())
' "$1" "$2"
}
