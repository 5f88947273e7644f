#!/bin/sh
# courier.sh run DIR ROOT - a private Courier without its authentication daemon:
# it greets everybody as logged in (PREAUTH). As common.sh says; ROOT holds its
# unpacked packages. DIR/env holds IMAP_PORT, IMAPS_PORT and CA_FILE.
# shellcheck disable=SC1091,SC2015,SC2154 # common.sh gives names
set -eu
here=$(dirname "$0")
dir=$2
root=$3
. "$here/common.sh"
lib=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu:$root/usr/lib

write_config() {
	# shellcheck disable=SC2046 # two words
	set -- $(free_ports 2)
	cat >"$dir/env" <<-END
	IMAP_PORT=$1
	IMAPS_PORT=$2
	CA_FILE=$dir/ca.crt
	END
	cat >"$dir/imapd" <<-END
	#!/bin/sh
	cd $dir
	export IMAP_CAPABILITY="IMAP4rev1 UIDPLUS CHILDREN NAMESPACE"
	exec setpriv --pdeathsig KILL $root/usr/bin/imapd Maildir
	END
	cat >"$dir/imapd-tls" <<-END
	#!/bin/sh
	exec setpriv --pdeathsig KILL $root/usr/bin/couriertls -server \\
		-tcpd $dir/imapd
	END
	chmod +x "$dir/imapd" "$dir/imapd-tls"
	cat >"$dir/both" <<-END
	#!/bin/sh
	export LD_LIBRARY_PATH=$lib MAILDIR=Maildir AUTHENTICATED=test \\
		IMAP_IDLE_TIMEOUT=60 IMAP_USELOCKS=0 IMAP_ENHANCEDIDLE=0 \\
		TLS_CERTFILE=$dir/good.pem TLS_PROTOCOL=TLSv1.2+ \\
		TLS_VERIFYPEER=NONE
	# its imapd wants a file watcher, and else greets with an alert
	setpriv --pdeathsig KILL $root/usr/libexec/gam_server --notimeout &
	# each makes a session of its own, so tie them to this shell
	tcpd="setpriv --pdeathsig KILL $root/usr/sbin/couriertcpd"
	\$tcpd -address=127.0.0.1 $1 $dir/imapd &
	\$tcpd -address=127.0.0.1 $2 $dir/imapd-tls &
	wait
	END
	chmod +x "$dir/both"
}

start() {
	. "$dir/env"
	serve "$dir/both"
	answers "$IMAP_PORT" "$pid" && answers "$IMAPS_PORT" "$pid" && return
	kill_all
	return 1
}

# A Maildir delivery: written whole in tmp, then moved into new.
n=0
deliver() {
	n=$((n + 1))
	cp "$2" "$dir/Maildir/tmp/$n.$$.test"
	chmod 644 "$dir/Maildir/tmp/$n.$$.test"
	[ -z "$as" ] || chown "$user:$group" "$dir/Maildir/tmp/$n.$$.test"
	mv "$dir/Maildir/tmp/$n.$$.test" "$dir/Maildir/new/"
}

mkdir -p "$dir/Maildir/cur" "$dir/Maildir/new" "$dir/Maildir/tmp"
trap 'rm -rf "$dir"' EXIT
"$here/../certs.sh" "$dir" good
[ -z "$as" ] || chown -R "$user:$group" "$dir"
chmod 755 "$dir"
control
