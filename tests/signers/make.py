#!/usr/bin/env python3
"""make.py FOLDER - signed mails for tests/unit/proof.c, by signers that share
no code with libopendkim: python3-dkim, and libmail-dkim-perl through sign.pl.

Leaves FOLDER/keys (pinned keys) and one file a mail. Keys are made anew."""
import base64
import os
import subprocess
import sys

import dkim
import nacl.signing

folder = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))
SIGNED = [b"from", b"to", b"cc", b"subject", b"date", b"message-id"]
MAIL = b"""\
Received: by mail.example.org; Wed, 05 Jun 2024 10:00:00 +0000
Message-ID: <202406051200.1a2b3c4d-lkp@example.com>
Date: Wed, 05 Jun 2024 09:59:00 +0000
From: kernel test robot <lkp@example.com>
To: Ann Author <ann@example.org>
Cc: <oe-lkp@example.net>
Subject: [made:up] [mm]  0123456789: vm-scalability.throughput
 -12.3% regression
MIME-Version: 1.0
Content-Type: text/plain; charset="us-ascii"

Hello,

kernel test robot noticed a -12.3% regression of vm-scalability.throughput on:

commit: 0123456789abcdef0123456789abcdef01234567 ("mm: made up")

""".replace(b"\n", b"\r\n")


def path(name):
    return os.path.join(folder, name)


def write(name, data):
    with open(path(name), "wb") as out:
        out.write(data)


def rsa_key(name, bits):
    """A private key in FOLDER/name; returns it and the public record."""
    subprocess.run(["openssl", "genrsa", "-traditional", "-out", path(name),
                    str(bits)], check=True, stderr=subprocess.DEVNULL)
    der = subprocess.run(["openssl", "rsa", "-in", path(name), "-pubout",
                          "-outform", "DER"], check=True,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    record = "v=DKIM1; k=rsa; p=" + base64.b64encode(der).decode()
    return open(path(name), "rb").read(), record


def by_python(key, mail=MAIL, selector=b"Intel", domain=b"example.com",
              headers=SIGNED, **more):
    more.setdefault("canonicalize", (b"relaxed", b"simple"))
    line = dkim.sign(mail, selector, domain, key, include_headers=headers,
                     **more)
    return line + mail


def by_perl(algorithm, expires):
    """expires: seconds since 1970, 0 for none."""
    return subprocess.run(
        ["perl", os.path.join(here, "sign.pl"), path("rsa.key"), algorithm,
         str(expires)], input=MAIL, check=True, stdout=subprocess.PIPE).stdout


rsa, rsa_record = rsa_key("rsa.key", 2048)
weak, weak_record = rsa_key("weak.key", 512)
ed = nacl.signing.SigningKey.generate()
ed_key = base64.b64encode(ed.encode())
ed_record = ("v=DKIM1; k=ed25519; p=" +
             base64.b64encode(ed.verify_key.encode()).decode())

write("keys", f"""\
# made by make.py
Intel._domainkey.example.com: {rsa_record}
Intel._domainkey.other.example: {rsa_record}

ed._domainkey.example.com: {ed_record}
weak._domainkey.example.com: {weak_record}
gone._domainkey.example.com: v=DKIM1; k=rsa; p=
""".encode())

good = by_python(rsa)
write("unsigned", MAIL)
write("rsa", good)
write("rsa-lf", good.replace(b"\r\n", b"\n"))
write("relaxed", by_python(rsa, canonicalize=(b"relaxed", b"relaxed")))
write("simple", by_python(rsa, canonicalize=(b"simple", b"simple")))
write("ed25519", by_python(ed_key, selector=b"ed",
                           signature_algorithm=b"ed25519-sha256"))
write("length", by_python(rsa, length=True))
write("other-domain", by_python(rsa, domain=b"other.example"))
write("weak", by_python(weak, selector=b"weak"))
write("revoked", by_python(rsa, selector=b"gone"))
write("no-key", by_python(rsa, selector=b"nobody"))
write("no-subject", by_python(rsa, headers=[b"from", b"to", b"message-id"]))
write("list-signed-too", by_python(rsa, mail=good, domain=b"other.example"))
write("perl", by_perl("rsa-sha256", 0))
write("sha1", by_perl("rsa-sha1", 0))
# The mail arrived at 1717581600 by its Received field.
write("expires-at-once", by_perl("rsa-sha256", 1717581600))
write("expired", by_perl("rsa-sha256", 1717581599))
