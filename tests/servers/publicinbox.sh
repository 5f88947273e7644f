#!/bin/sh
# publicinbox.sh run DIR ROOT - a private public-inbox-imapd with one list,
# inbox.test, as common.sh says. ROOT holds its unpacked packages; its slices
# are cut down to seven mails in a copy. DIR/env holds IMAP_PORT, IMAPS_PORT and
# CA_FILE; anybody may log in.
# shellcheck disable=SC1091,SC2015,SC2154 # common.sh gives names
set -eu
here=$(dirname "$0")
dir=$2
root=$3
. "$here/common.sh"
perl=$dir/perl:$root/usr/share/perl5:$root/usr/lib/x86_64-linux-gnu/perl5/5.36
lib=$root/usr/lib/x86_64-linux-gnu

as_them() {
	# shellcheck disable=SC2086 # words on purpose
	env -i PATH="$PATH" HOME="$dir" PI_CONFIG="$dir/config" \
		PERL5LIB="$perl" LD_LIBRARY_PATH="$lib" setpriv $as "$@"
}

write_config() {
	# shellcheck disable=SC2046 # two words
	set -- $(free_ports 2)
	cat >"$dir/env" <<-END
	IMAP_PORT=$1
	IMAPS_PORT=$2
	CA_FILE=$dir/ca.crt
	END
}

start() {
	. "$dir/env"
	serve env PI_CONFIG="$dir/config" PERL5LIB="$perl" LD_LIBRARY_PATH="$lib" \
		"$root/usr/bin/public-inbox-imapd" -W0 \
		-l "imap://127.0.0.1:$IMAP_PORT/" \
		-l "imaps://127.0.0.1:$IMAPS_PORT/?cert=$dir/good.crt,key=$dir/good.key" \
		--cert "$dir/good.crt" --key "$dir/good.key"
	answers "$IMAP_PORT" "$pid" && answers "$IMAPS_PORT" "$pid" && return
	kill_all
	return 1
}

deliver() {
	as_them env ORIGINAL_RECIPIENT=test@localhost \
		"$root/usr/bin/public-inbox-mda" --no-precheck <"$2" >&2
}

mkdir -p "$dir/perl/PublicInbox"
trap 'rm -rf "$dir"' EXIT
sed 's/^sub UID_SLICE () { 50_000 }/sub UID_SLICE () { 7 }/' \
	"$root/usr/share/perl5/PublicInbox/IMAP.pm" \
	>"$dir/perl/PublicInbox/IMAP.pm"
grep -q 'UID_SLICE () { 7 }' "$dir/perl/PublicInbox/IMAP.pm"
"$here/../certs.sh" "$dir" good
[ -z "$as" ] || chown -R "$user:$group" "$dir"
chmod 755 "$dir"
as_them git config --global user.email test@localhost
as_them git config --global user.name test
as_them "$root/usr/bin/public-inbox-init" -V2 --ng inbox.test test \
	"$dir/list" http://127.0.0.1/test test@localhost >&2
as_them git config -f "$dir/config" publicinboxmda.spamcheck none
control
