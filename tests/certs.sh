#!/bin/sh
# certs.sh DIR [NAME...] - makes a throwaway certificate authority in DIR
# (ca.crt) and server certificates NAME.pem (certificate and key), each good or
# wrong in one way:
#	good        for localhost and 127.0.0.1, signed by ca.crt
#	wrongname   for other.test, signed by ca.crt
#	untrusted   as good, signed by an authority that is not ca.crt
#	expired     as good, over since 2020
#	selfsigned  as good, signed by itself
# Without NAME all of them are made.
set -eu
dir=$1
shift
[ $# -gt 0 ] || set -- good wrongname untrusted expired selfsigned
mkdir -p "$dir"
cd "$dir"
exec 2>certs.log

here='DNS:localhost,IP:127.0.0.1,IP:::1'
new_key='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'

# authority FILE NAME
authority() {
	[ ! -e "$1.crt" ] || return 0
	# shellcheck disable=SC2086 # words on purpose
	openssl req -x509 $new_key -days 30 -keyout "$1.key" -out "$1.crt" \
		-subj "/CN=$2" -addext basicConstraints=critical,CA:true \
		-addext keyUsage=critical,keyCertSign,cRLSign
}

# signed NAME AUTHORITY ALTNAMES START END (dates as YYMMDDHHMMSSZ, or empty)
signed() {
	# shellcheck disable=SC2086
	openssl req $new_key -keyout "$1.key" -out "$1.csr" -subj "/CN=$1"
	mkdir "$1.ca"
	: >"$1.ca/index"
	cat >"$1.ca/config" <<-END
	[ca]
	default_ca = own
	[own]
	database = $1.ca/index
	rand_serial = yes
	new_certs_dir = $1.ca
	default_md = sha256
	default_days = 30
	policy = any
	x509_extensions = leaf
	[any]
	commonName = supplied
	[leaf]
	subjectAltName = $3
	basicConstraints = CA:false
	extendedKeyUsage = serverAuth
	END
	# shellcheck disable=SC2086
	openssl ca -batch -notext -config "$1.ca/config" -cert "$2.crt" \
		-keyfile "$2.key" -in "$1.csr" -out "$1.crt" \
		${4:+-startdate $4 -enddate $5}
	rm -r "$1.ca" "$1.csr"
}

authority ca 'perfherald test authority'
for name in "$@"; do
	case $name in
	good)	   signed good ca "$here" '' '' ;;
	wrongname) signed wrongname ca DNS:other.test '' '' ;;
	untrusted) authority otherca 'some other authority'
		   signed untrusted otherca "$here" '' '' ;;
	expired)   signed expired ca "$here" 200101000000Z 200201000000Z ;;
	selfsigned)
		# shellcheck disable=SC2086
		openssl req -x509 $new_key -days 30 -keyout selfsigned.key \
			-out selfsigned.crt -subj /CN=selfsigned \
			-addext "subjectAltName=$here" ;;
	*)	   exit 64 ;;
	esac
	cat "$name.crt" "$name.key" >"$name.pem"
done
