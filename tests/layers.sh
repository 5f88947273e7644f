#!/bin/sh
# layers.sh BUILD - proves the call order and the names from the symbols.
#
# 1. A layer calls only layers below it (bot -> mail, notify -> config -> base;
#    mail and notify never meet).
# 2. No global name of ours is one that a linked library exports.
# 3. Only the files listed here touch an outside library.
set -eu
build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C
bad=0

complain() {
	echo "layers: $*" >&2
	bad=1
}

for layer in bot mail notify config base; do
	nm -g --defined-only "$build/lib$layer.a" 2>/dev/null |
		awk 'NF == 3 { print $3 }' | sort -u >"$tmp/$layer.has"
	nm -u "$build/lib$layer.a" 2>/dev/null |
		awk '$1 == "U" { print $2 }' | sort -u >"$tmp/$layer.wants"
	[ -s "$tmp/$layer.has" ] || complain "$layer: no symbols; not built?"
done

# forbid FROM TO...: FROM may not call these layers.
forbid() {
	from=$1
	shift
	for to in "$@"; do
		for name in $(comm -12 "$tmp/$from.wants" "$tmp/$to.has"); do
			# a name that the layer has itself is its own
			grep -qxF "$name" "$tmp/$from.has" ||
				complain "$from/ calls $name of $to/"
		done
	done
}
forbid base config mail notify bot
forbid config mail notify bot
forbid mail notify bot
forbid notify mail bot

cat "$tmp"/*.has | sort -u >"$tmp/ours"

# What each file of ours takes from outside, as "file name" lines.
find "$build/bot" "$build/mail" "$build/notify" "$build/config" -name '*.o' \
	-exec nm -A -u {} + | sed "s|^$build/||; s|\.o: *[Uw] |.c |" |
	awk 'NR == FNR { ours[$1]; next } !($2 in ours)' "$tmp/ours" - \
		>"$tmp/uses"

# lib NAME FILE-PATTERN...: the only files that may call library NAME.
lib() {
	name=$1
	shift
	path=$(ldconfig -p | awk -v n="lib$name.so" \
		'index($1, n) == 1 { print $NF; exit }')
	[ -n "$path" ] || { complain "lib$name.so: not found"; return; }
	nm -D --defined-only "$path" | awk '{ sub(/@.*/, "", $3); print $3 }' |
		grep -v '^_' | sort -u >"$tmp/exports"
	for n in $(comm -12 "$tmp/ours" "$tmp/exports"); do
		complain "$n is also exported by lib$name"
	done
	[ $# -gt 0 ] || return 0
	awk 'NR == FNR { export[$1]; next } $2 in export' "$tmp/exports" \
		"$tmp/uses" | while read -r file n; do
		for pattern in "$@"; do
			# shellcheck disable=SC2254 # a pattern on purpose
			case $file in $pattern) continue 2 ;; esac
		done
		echo "layers: $file calls $n of lib$name" >&2
		: >"$tmp/outside"
	done
}
lib etpan 'mail/source_imap.c' 'mail/imap_*.c'
lib ssl 'mail/imap_*.c'
lib crypto 'bot/base/hash.c' 'mail/imap_*.c'
lib gmime-3.0 'mail/mime*.c'
lib glib-2.0 'mail/mime*.c' 'bot/pattern.c'
lib opendkim 'mail/proof_dkim*.c'
lib curl-gnutls 'notify/http*.c' 'notify/smtp*.c' 'notify/curl*.c'
lib sqlite3 'bot/store/*.c'
lib yaml-0 'config/reader*.c'
lib jansson 'notify/*.c' 'bot/git_json.c'
lib git2 'bot/git*.c'
lib zstd 'bot/store/*.c'
[ ! -e "$tmp/outside" ] || bad=1

# 4. The state is opened in one place, and never by what forks. The crew names
#    what its children do, migrations among them.
for object in "$build"/bot/*.o "$build"/bot/store/*.o; do
	file=${object#"$build"/}
	for name in $(nm -u "$object" | awk '{ print $2 }'); do
		case $file:$name in
		bot/store/open.o:sqlite3_open*) ;;
		*:sqlite3_open*) complain "$file opens a database" ;;
		bot/supervisor.o:store_* | bot/child.o:store_* | \
		bot/reload.o:store_* | \
		bot/crew.o:store_open | bot/carrier.o:store_*)
			complain "$file forks, and calls $name"
			;;
		esac
	done
done
[ $bad -eq 0 ] && echo "layers: in order"
exit $bad
