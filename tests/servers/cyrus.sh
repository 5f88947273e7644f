#!/bin/sh
# cyrus.sh run DIR ROOT - a private Cyrus, as common.sh says. ROOT holds its
# unpacked packages. DIR/env holds IMAP_PORT, IMAPS_PORT and CA_FILE; the user
# is test, the password secret.
# shellcheck disable=SC1091,SC2015,SC2154 # common.sh gives names
set -eu
here=$(dirname "$0")
dir=$2
root=$3
PATH=$PATH:/usr/sbin:/sbin
. "$here/common.sh"
bin=$root/usr/lib/cyrus/bin
lib=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu

write_config() {
	# shellcheck disable=SC2046 # three words
	set -- $(free_ports 3)
	cat >"$dir/env" <<-END
	IMAP_PORT=$1
	IMAPS_PORT=$2
	LMTP_PORT=$3
	CA_FILE=$dir/ca.crt
	END
	cat >"$dir/imapd.conf" <<-END
	configdirectory: $dir/conf
	partition-default: $dir/spool
	defaultpartition: default
	cyrus_user: $user
	cyrus_group: $group
	admins: admin
	allowplaintext: yes
	sasl_pwcheck_method: auxprop
	sasl_auxprop_plugin: sasldb
	sasl_sasldb_path: $dir/sasldb2
	sasl_mech_list: PLAIN LOGIN
	tls_server_cert: $dir/good.crt
	tls_server_key: $dir/good.key
	autocreate_quota: 0
	autocreate_post: yes
	unixhierarchysep: yes
	virtdomains: off
	servername: localhost
	imapidlepoll: 1
	idlesocket: $dir/socket/idle
	lmtpsocket: $dir/socket/lmtp
	proc_path: $dir/proc
	mboxname_lockpath: $dir/lock
	END
	cat >"$dir/cyrus.conf" <<-END
	START {
	  recover cmd="$bin/ctl_cyrusdb -C $dir/imapd.conf -r"
	  idled cmd="$bin/idled -C $dir/imapd.conf"
	}
	SERVICES {
	  imap cmd="$bin/imapd -C $dir/imapd.conf" listen="127.0.0.1:$1"
	  imaps cmd="$bin/imapd -C $dir/imapd.conf -s" listen="127.0.0.1:$2"
	  lmtp cmd="$bin/lmtpd -C $dir/imapd.conf -a" listen="127.0.0.1:$3"
	}
	EVENTS {
	}
	END
}

start() {
	. "$dir/env"
	serve env LD_LIBRARY_PATH="$lib" "$bin/master" -C "$dir/imapd.conf" \
		-M "$dir/cyrus.conf" -p "$dir/master.pid"
	answers "$LMTP_PORT" "$pid" || { kill_all; return 1; }
}

deliver() {
	. "$dir/env"
	lmtp "$LMTP_PORT" "$1" <"$2"
}

mkdir -p "$dir/conf" "$dir/spool" "$dir/socket" "$dir/proc" "$dir/lock"
trap 'rm -rf "$dir"' EXIT
"$here/../certs.sh" "$dir" good
for name in test admin; do
	echo secret | env LD_LIBRARY_PATH="$lib" "$root/usr/sbin/saslpasswd2" \
		-p -c -f "$dir/sasldb2" -u localhost $name
done
[ -z "$as" ] || chown -R "$user:$group" "$dir"
chmod 755 "$dir"
control
