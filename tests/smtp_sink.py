#!/usr/bin/python3
"""smtp_sink.py DIR - a mail server for tests, on a free loopback port.

Prints "port N" once it listens. Each accepted mail becomes DIR/N.eml (the
bytes) and DIR/N.env (JSON: from, to), numbered from 1; both appear whole.
Runs until standard input closes, so it never outlives its test.

  --tls none|starttls|implicit   (none) starttls: nothing works before it
  --cert FILE --key FILE         for TLS
  --auth USER:PASSWORD           nothing works before AUTH
  --max-tls 1.1                  speak nothing newer

The local part of a recipient makes it misbehave:
  gone@    550 to RCPT             later@   451 to RCPT
  grey@    451 the first time, 250 from the second on
  locked@  530 to RCPT
  big@     554 after DATA          busy@    451 after DATA
  drop@    the mail is kept and the connection cut instead of a reply
  half@    the same, after the first bytes of a reply
  stall@   the mail is kept and no reply ever comes
A sender nobody@ gets 550 to MAIL.
"""
import argparse
import asyncio
import json
import os
import ssl
import sys
import warnings

from aiosmtpd.smtp import SMTP, AuthResult


class Sink:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.grey = set()

    def keep(self, envelope):
        self.count += 1
        stem = os.path.join(self.folder, str(self.count))
        about = {"from": envelope.mail_from, "to": envelope.rcpt_tos}
        for name, data in ((stem + ".env", json.dumps(about).encode()),
                           (stem + ".eml", envelope.original_content)):
            with open(name + ".new", "wb") as out:
                out.write(data)
            os.rename(name + ".new", name)

    async def handle_MAIL(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 5.7.1 sender not welcome"
        envelope.mail_from = address
        return "250 2.1.0 ok"

    async def handle_RCPT(self, server, session, envelope, address, options):
        who = address.split("@")[0]
        if who == "gone":
            return "550 5.1.1 no such user"
        if who == "later":
            return "451 4.3.0 try later"
        if who == "locked":
            return "530 5.7.0 log in first"
        if who == "grey" and address not in self.grey:
            self.grey.add(address)
            return "451 4.7.1 greylisted"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 ok"

    async def handle_DATA(self, server, session, envelope):
        who = {a.split("@")[0] for a in envelope.rcpt_tos}
        if "big" in who:
            return "554 5.3.4 not this one"
        if "busy" in who:
            return "451 4.3.0 busy"
        self.keep(envelope)
        if "drop" in who:
            server.transport.abort()
        if "half" in who:
            server.transport.write(b"250 2.0")
            await asyncio.sleep(0.2)    # for the client to read that alone
            server.transport.abort()
        if "stall" in who:
            await asyncio.Event().wait()
        return "250 2.0.0 kept as %d" % self.count


def tls_context(args):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(args.cert, args.key)
    if args.max_tls == "1.1":
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("DEFAULT@SECLEVEL=0")
    return context


def login(args):
    def check(server, session, envelope, mechanism, data):
        good = args.auth.encode().split(b":", 1)
        return AuthResult(success=[data.login, data.password] == good,
                          handled=False)
    return check


async def serve(args):
    sink = Sink(args.dir)
    context = tls_context(args) if args.tls != "none" else None
    options = {"hostname": "sink.example.org", "enable_SMTPUTF8": False}
    if args.tls == "starttls":
        options.update(tls_context=context, require_starttls=True)
    if args.auth:
        options.update(authenticator=login(args), auth_required=True,
                       auth_require_tls=args.tls == "starttls")
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(sink, **options), "127.0.0.1", 0,
        ssl=context if args.tls == "implicit" else None)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    os._exit(0)


def main():
    warnings.simplefilter("ignore")
    parse = argparse.ArgumentParser()
    parse.add_argument("dir")
    parse.add_argument("--tls", default="none",
                       choices=["none", "starttls", "implicit"])
    parse.add_argument("--cert")
    parse.add_argument("--key")
    parse.add_argument("--auth")
    parse.add_argument("--max-tls")
    asyncio.run(serve(parse.parse_args()))


main()
