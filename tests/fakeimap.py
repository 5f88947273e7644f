#!/usr/bin/env python3
"""A scripted IMAP server that misbehaves on purpose.

fakeimap.py CERTDIR - prints "NAME PORT" for each listener, then "ready", and
serves until standard input ends. How it misbehaves is chosen by the listener
(before login) or by the user name (after it). It has three mails, UIDs 1 to 3.
"""
import base64
import socket
import ssl
import sys
import threading
import time

CERTS = sys.argv[1]
MAIL = b"Subject: x\r\n\r\nhello\r\n"
UIDS = (1, 2, 3)
# what the user "right" must send, with the password hunter2
ACCEPTED = (b"\0right\0hunter2",
            b"user=right\1auth=Bearer hunter2\1\1")
CAPABILITY = (b"* CAPABILITY IMAP4rev1 IDLE UIDPLUS STARTTLS AUTH=PLAIN "
              b"AUTH=XOAUTH2\r\n")


def tls(old=False):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{CERTS}/good.pem")
    if old:
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    return context


def mail(uid, body=MAIL, size=None):
    size = len(body) if size is None else size
    return b"* %d FETCH (UID %d BODY[] {%d}\r\n%s)\r\n" % (uid, uid, size, body)


def listed(uid, size=len(MAIL)):
    return (b"* %d FETCH (UID %d RFC822.SIZE %d INTERNALDATE "
            b'"17-Jul-2024 02:44:25 -0730")\r\n' % (uid, uid, size))


LIST = b"".join(map(listed, UIDS))
MAILS = b"".join(map(mail, UIDS))


class Gone(Exception):
    """The server hangs up here."""


# -- how a FETCH of bodies is answered, by user name; OK follows --

def nested(n):
    return b"* 1 FETCH (UID 1 BODYSTRUCTURE %s)\r\n" % (b"(" * n)


def hidden(n):
    """Depth behind what only a lenient parser takes for a string's end."""
    return (b'* 1 FETCH (UID 1 BODY[HEADER] {1}" BODYSTRUCTURE %s "x")\r\n'
            % (b"(" * n))


def split_string(n):
    return (b'* 1 FETCH (UID 1 ENVELOPE ("a\r\nb" NIL) BODYSTRUCTURE %s)\r\n'
            % (b"(" * n))


BODIES = {
    "good": MAILS,
    "literal-4g": mail(1, b"a" * 5000, 4294967295),
    "literal-9m": mail(1, b"a" * 5000, 9 * 1048576 + 1),
    "literal-wraps": mail(1, b"a" * 5000, 4294967296 + 21),
    "literal-endless-digits": mail(1, b"a" * 50, 10 ** 30),
    "literal-negative": b"* 1 FETCH (UID 1 BODY[] {-5}\r\n)\r\n",
    "literal-same-line": b"* 1 FETCH (UID 1 BODY[] {21}" + MAIL + b")\r\n",
    "literal-elsewhere": b'* LIST () "/" {2000000}\r\n' + b"a" * 2000000
                         + b"\r\n",
    "withhold": b"",
    "nil": mail(1) + b"* 2 FETCH (UID 2 BODY[] NIL)\r\n" + mail(3),
    "empty": b'* 1 FETCH (UID 1 BODY[] "")\r\n' + mail(2, b"") + mail(3),
    "quoted": b'* 1 FETCH (UID 1 BODY[] "a \\"b\\" c")\r\n' + mail(2)
              + mail(3),
    "no-uid": b"* 1 FETCH (BODY[] {21}\r\n" + MAIL + b")\r\n",
    "uid-last": b"".join(b"* %d FETCH (BODY[] {21}\r\n%s UID %d)\r\n"
                         % (u, MAIL, u) for u in UIDS),
    "twice": MAILS + MAILS,
    "backwards": mail(3) + mail(2) + mail(1),
    "uid-wraps": b"* 1 FETCH (UID 4294967297 BODY[] {21}\r\n" + MAIL
                 + b")\r\n" + mail(2) + mail(3),
    "uid-unasked": mail(77) + MAILS,
    "garbage": mail(1) + b"\x00\xff garbage\r\n" + mail(2),
    "unknown-lines": mail(1) + b"* 5 WIBBLE (((((\r\n* XYZZY foo\r\n"
                     + mail(2),
    "unasked": b"* 4 EXISTS\r\n" + mail(1)
               + b"* 1 FETCH (FLAGS (\\Seen $Foo))\r\n* OK [ALERT] x\r\n"
               + b"* 9 FETCH (UID 9 FLAGS ())\r\n" + mail(2) + mail(3),
    "deep": nested(20000),
    "deep-33": nested(33),
    "deep-behind-literal": hidden(20000),
    "deep-behind-string": split_string(20000),
    "long-line": b"* OK " + b"x" * 65536 + b"\r\n",
    "many-lines": b"* OK hello\r\n" * 90000,
    "many-numbers": (b"* SEARCH" + b" 1" * 30000 + b"\r\n") * 20,
    "many-flags": (b"* FLAGS (" + b"a " * 30000 + b")\r\n") * 20,
    "many-fetches": b"* 1 FETCH (UID 1 FLAGS (\\Seen))\r\n" * 40000,
    "many-mails": MAILS * 200000,
    "more-mail": b"".join(mail(u, b"x" * 5000000) for u in UIDS),
    "lf-only": MAILS.replace(b"{21}\r\n", b"{21}\n").replace(b")\r\n", b")\n"),
    "nuls": mail(1, b"Subject: a\0b\r\n\r\n\0\0\xff\r\n") + mail(2) + mail(3),
}

# what is left open: nothing more comes, or the line is cut
STALLS = {
    "stall-in-literal": mail(1) + mail(2, b"a" * 50, 100000)[:-3],
    "stall": b"",
}
CUTS = {
    "cut-in-literal": mail(1) + mail(2, b"a" * 50, 100000)[:-3],
    "cut-in-line": mail(1) + b"* 2 FET",
    "cut": b"",
    "bye": mail(1) + b"* BYE going down for the night\r\n",
}
# mails that break the connection whenever they are asked for, by what comes
# in their place
BREAKING = {
    "break-cut": {2: b""},
    "break-inside": {2: mail(2, b"a" * 50, 100000)[:-3]},
    "break-size": {2: mail(2, b"a" * 10000000)},
    "break-garbage": {2: b"* 2 FETCH (UID 2 BODY[] {x}\r\n"},
    "break-two": {1: b"", 2: b"* 2 FET"},
    "break-last": {3: b""},
    "break-all": {1: b"", 2: b"", 3: b""},
}
TAGGED = {
    "no": (mail(1), b"NO [SERVERBUG] some messages failed"),
    "bad": (b"", b"BAD what?"),
    "no-text": (MAILS, b"OK"),
    "gone": (mail(1) + mail(3), b"OK done"),
}


class Session:
    def __init__(self, sock, mode):
        self.sock, self.mode = sock, mode
        self.user, self.tag, self.idle = "", b"", b""
        self.file = sock.makefile("rb")

    def send(self, data):
        self.sock.sendall(data)

    def ok(self, text=b"done"):
        self.send(self.tag + b" OK " + text + b"\r\n")

    def serve(self):
        if self.mode == "mute":
            return self.wait()
        if self.mode == "busy":
            return self.send(b"* BYE [UNAVAILABLE] too many here\r\n")
        if self.mode == "babble":
            return self.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        self.send(b"* PREAUTH hi\r\n" if self.mode == "preauth"
                  else b"* OK ready\r\n")
        for line in self.file:
            words = line.split()
            if len(words) < 2:
                if words and words[0].upper() == b"DONE":
                    self.send(self.idle + b" OK done\r\n")
                continue
            self.tag, name = words[0], words[1].upper()
            if name == b"UID":
                name = words[2].upper()
            getattr(self, "do_" + name.decode().lower(), self.other)(words)

    def wait(self):
        """Until the client gives up."""
        while self.sock.recv(4096):
            pass
        raise Gone

    def other(self, words):
        self.ok()

    def do_capability(self, words):
        line = CAPABILITY
        if self.mode == "no-starttls":
            line = line.replace(b" STARTTLS", b"")
        self.send(line)
        self.ok()

    def do_starttls(self, words):
        if self.mode == "refuse":
            return self.send(self.tag + b" NO not today\r\n")
        self.ok(b"begin\r\n" + CAPABILITY + b"x OK done"
                if self.mode == "inject" else b"begin")
        self.sock = tls().wrap_socket(self.sock, server_side=True)
        self.file = self.sock.makefile("rb")

    def do_login(self, words):
        self.user = words[2].strip(b'"').decode()
        if self.user == "echo":
            return self.send(self.tag + b" NO no such login: "
                             + b" ".join(words[2:]) + b"\r\n")
        if self.user == "later":
            return self.send(self.tag + b" NO [UNAVAILABLE] try again\r\n")
        self.ok()

    def do_authenticate(self, words):
        self.send(b"+ \r\n")
        if base64.b64decode(self.file.readline()) in ACCEPTED:
            return self.ok()
        if words[2].upper() == b"XOAUTH2":
            self.send(b"+ eyJzdGF0dXMiOiI0MDAifQ==\r\n")
            self.file.readline()
        self.send(self.tag + b" NO [AUTHENTICATIONFAILED] no\r\n")

    def do_examine(self, words):
        if self.user == "no-uidvalidity":
            self.send(b"* 3 EXISTS\r\n* 0 RECENT\r\n* FLAGS ()\r\n")
            return self.ok()
        exists = {"nothing": 0, "withhold": 10}.get(self.user, 3)
        self.send(b"* FLAGS (\\Seen)\r\n* %d EXISTS\r\n* 0 RECENT\r\n"
                  b"* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 4] x\r\n" % exists)
        self.ok(b"[READ-ONLY] done")

    def do_idle(self, words):
        self.idle = self.tag
        news = b"* 4 EXISTS\r\n"
        if self.user == "idle-refused":
            return self.send(self.tag + b" NO cannot\r\n")
        self.send({"idle-news-first": news + b"+ idling\r\n",
                   "idle-news-with": b"+ idling\r\n" + news,
                   "idle-chatter": b"+ idling\r\n* OK Still here\r\n"
                                   b"* 2 EXPUNGE\r\n* 1 FETCH (FLAGS ())\r\n"
                                   + b"* 3 EXISTS\r\n",
                   "idle-over": b"+ idling\r\n" + self.tag + b" OK over\r\n",
                   "idle-flood": b"+ idling\r\n" + b"* OK x\r\n" * 200000,
                   }.get(self.user, b"+ idling\r\n"))
        if self.user == "idle-hung":
            self.wait()

    def do_search(self, words):
        if self.user == "search-big":
            self.send(b"* SEARCH" + b" 1" * 5000000 + b"\r\n")
        else:
            self.send(b"* SEARCH 1 2 3\r\n")
        self.ok()

    def do_list(self, words):
        if self.user == "list-big":
            self.send(b'* LIST () "/" box\r\n' * 100000)
        self.ok()

    def do_fetch(self, words):
        if b"BODY" in b" ".join(words):
            return self.bodies(words[3])
        if self.user == "withhold":
            self.send(b"".join(map(listed, range(1, 11))))
        elif self.user == "list-many":
            self.send(b"".join(map(listed, range(1, 2049))) * 5)
        elif self.user == "list-hang-up":
            raise Gone
        elif self.user == "list-no":
            return self.send(self.tag + b" NO no\r\n")
        elif self.user == "list-bare":
            self.send(b"* 1 FETCH (UID 1)\r\n")
        elif self.user == "gone" and b"2" in words[3].split(b","):
            pass
        elif self.user != "nothing":
            self.send(LIST)
        self.ok()

    def bodies(self, uids):
        user = self.user
        if user in BODIES:
            self.send(BODIES[user])
        elif user in STALLS:
            self.send(STALLS[user])
            self.wait()
        elif user in CUTS:
            self.send(CUTS[user])
            raise Gone
        elif user in TAGGED:
            data, text = TAGGED[user]
            return self.send(data + self.tag + b" " + text + b"\r\n")
        elif user == "wrong-tag":
            return self.send(MAILS + b"ZZZ OK done\r\n")
        elif user == "drip":
            self.send(b"* 1 FETCH (UID 1 BODY[] {100000}\r\n")
            while True:
                self.send(b"x")
                time.sleep(0.02)
        elif user == "endless":
            while True:
                self.send(b"* OK hello\r\n" * 1000)
        elif user == "endless-line":
            while True:
                self.send(b"x" * 65536)
        elif user == "endless-mail":
            while True:
                self.send(MAILS * 1000)
        else:
            self.each(uids, BREAKING.get(user, {}))
        self.ok()

    def each(self, uids, breaking):
        first, _, last = uids.partition(b":")
        for n, uid in enumerate(range(int(first), int(last or first) + 1)):
            if uid in breaking or (n and self.user == "break-second"):
                self.send(breaking.get(uid, b""))
                raise Gone
            self.send(mail(uid))


def handle(sock, context, mode):
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            sock = context.wrap_socket(sock, server_side=True)
        Session(sock, mode).serve()
    except (Gone, OSError, ValueError):
        pass
    finally:
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        sock.close()


def listen(name, context):
    server = socket.create_server(("127.0.0.1", 0), backlog=50)
    print(name, server.getsockname()[1], flush=True)

    def accept():
        while True:
            sock, _ = server.accept()
            threading.Thread(target=handle, args=(sock, context, name),
                             daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()


listen("plain", None)
listen("tls", tls())
listen("tls11", tls(old=True))
for mode in ("inject", "refuse", "no-starttls", "preauth", "mute", "busy",
             "babble"):
    listen(mode, None)
print("ready", 0, flush=True)
sys.stdin.read()
