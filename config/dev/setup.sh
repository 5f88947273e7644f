#!/bin/sh
# setup.sh GROUP... - makes sure that the Debian packages of these groups (the
# file `packages` beside this one) are there. Installs what is missing when it
# may (root, or sudo without a password); else names it and exits 1.
set -eu
here=$(dirname "$0")
missing=
for group in "$@"; do
	# shellcheck disable=SC2013 # a package name is a word
	for package in $(sed -n "s/^$group //p" "$here/packages"); do
		state=$(dpkg-query -W -f '${db:Status-Status}' "$package" \
			2>/dev/null || :)
		[ "$state" = installed ] || missing="$missing $package"
	done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	as_root='sudo -n'
else
	echo "These Debian packages are missing; install them as root with" >&2
	echo "  apt-get install --no-install-recommends$missing" >&2
	exit 1
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # words on purpose
install() {
	$as_root apt-get install -y -qq --no-remove --no-install-recommends \
		$missing
}
# The package lists of a machine may be old or absent: fetch them once, then.
install >/dev/null 2>&1 ||
	{ $as_root apt-get update -qq && install >/dev/null; } || {
	echo "apt-get could not install:$missing" >&2
	exit 1
}
