#!/bin/sh
# unpack.sh DIR PACKAGE... - Debian packages into DIR, without installing them:
# servers that remove one another cannot be installed together. Done once for
# one list of packages. Exit 1 when they cannot be had.
set -eu
dir=$1
shift
[ "$(cat "$dir/packages" 2>/dev/null)" != "$*" ] || exit 0
rm -rf "$dir"
mkdir -p "$dir/deb"
cd "$dir/deb"
apt-get download -qq "$@" >/dev/null 2>&1 || exit 1
for deb in *.deb; do
	dpkg -x "$deb" ..
done
cd ..
rm -r deb
chmod 755 .
echo "$*" >packages
