"""rig - a whole installation for a fault test: a private Dovecot, a mail sink
and a chat sink on loopback, and the program with a configuration and a state.

The servers (Peers) serve all cases of a run; each Case has its own folder,
mailbox user, recipient and room, so that cases may run side by side.
"""
import glob
import imaplib
import json
import mmap
import os
import shutil
import signal
import smtplib
import sqlite3
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 90            # of doing nothing, after which a command hangs
# A watch that does nothing at all for so long hangs: twice what it may rightly
# wait for, which is 15 s, before the first retry of a notice and, where it is
# built with -DPH_HASTE=20, before the next try of a mailbox.
STILL = 30
WHOLE = 300             # of a single wait, whatever is going on
HOUR = 3600
MAILS = sorted(glob.glob(os.path.join(TESTS, "demo", "*.eml")))
HELD, PENDING, SENDING, SENT, DEAD, CANCELLED = range(6)


class Wrong(Exception):
    """What a fault must not do, and did."""


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Session:
    """A command with a session of its own, for all that descends from it."""

    def __init__(self, command, env):
        self.child = subprocess.Popen(command, env=env,
                                      stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT,
                                      start_new_session=True)

    def processes(self):
        """(name, state, ticks of processor time, what it waits in) of each."""
        for path in glob.glob("/proc/[0-9]*"):
            try:
                with open(path + "/stat", encoding="utf-8") as f:
                    name, _, rest = f.read().rpartition(") ")
                with open(path + "/wchan", encoding="utf-8") as f:
                    wchan = f.read()
            except OSError:     # it has ended
                continue
            rest = rest.split()
            if int(rest[3]) == self.child.pid:
                yield (name.partition("(")[2], rest[0],
                       int(rest[11]) + int(rest[12]), wchan)

    def moves(self, ticks):
        """Whether it worked since ticks, or waits for a disk; ticks now."""
        found = list(self.processes())
        now = sum(p[2] for p in found)
        return now != ticks or any(p[1] == "D" for p in found), now

    def finish(self, still=SECONDS):
        """Its exit code and what it said. A command that does nothing at all
        for so many seconds hangs, however slow the machine is."""
        start = moved = time.monotonic()
        ticks = 0
        while True:
            try:
                said = self.child.communicate(timeout=1)[0]
                return self.child.returncode, said.decode("utf-8", "replace")
            except subprocess.TimeoutExpired:
                pass
            now = time.monotonic()
            moves, ticks = self.moves(ticks)
            if moves:
                moved = now
            if now > moved + still or now > start + WHOLE:
                self.give_up(now - start, now - moved)

    def give_up(self, took, still):
        found = "; ".join(f"{name} {state} in {wchan}"
                          for name, state, _, wchan in self.processes())
        os.killpg(self.child.pid, signal.SIGKILL)
        said = self.child.communicate()[0].decode("utf-8", "replace")
        raise Wrong(f"does not end within {took:.0f} s, {still:.0f} of them "
                    f"still ({found}): {said[-400:]}")


class Sink:
    """One of the tests' sinks, and the pairs of files that it writes."""

    def __init__(self, script, folder, heads):
        os.mkdir(folder)
        self.folder, self.heads = folder, heads
        self.child = subprocess.Popen([os.path.join(TESTS, script), folder],
                                      stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        self.port = int(self.child.stdout.readline().split()[-1])
        self.found, self.lock = {}, threading.Lock()

    def all(self):
        """(head, body) of everything that came in so far. Numbers may be
        missing: of requests that have not ended."""
        with self.lock:
            for name in os.listdir(self.folder):
                stem, _, ending = name.partition(".")
                other = [os.path.join(self.folder, f"{stem}.{x}")
                         for x in self.heads]
                if stem not in self.found and ending in self.heads and \
                        all(map(os.path.exists, other)):
                    self.found[stem] = tuple(map(read, other))
            return list(self.found.values())

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class Peers:
    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="perfherald-faults-")
        os.chmod(self.dir, 0o711)  # started by root, Dovecot runs as nobody
        self.cases = 0
        self.lock = threading.Lock()
        self.dovecot = subprocess.Popen(
            [os.path.join(TESTS, "dovecot.sh"), "run",
             os.path.join(self.dir, "dovecot")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.dovecot.stdout.readline() != "up\n":
            sys.exit("Dovecot does not start")
        with open(os.path.join(self.dir, "dovecot", "env"),
                  encoding="utf-8") as f:
            self.imap = dict(line.strip().split("=", 1) for line in f)
        self.imap_port = int(self.imap["IMAPS_PORT"])
        self.smtp = Sink("smtp_sink.py", os.path.join(self.dir, "mails"),
                         ("env", "eml"))
        self.http = Sink("http_sink.py", os.path.join(self.dir, "posts"),
                         ("head", "body"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.smtp.close()
        self.http.close()
        self.dovecot.stdin.close()
        self.dovecot.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def number(self):
        with self.lock:
            self.cases += 1
            return self.cases

    def tell_dovecot(self, word, answer):
        """Takes it "stop" (down) or "start" (up): the same ports and mails."""
        self.dovecot.stdin.write(word + "\n")
        self.dovecot.stdin.flush()
        assert self.dovecot.stdout.readline() == answer + "\n"


def fill(template, values):
    for name, value in values.items():
        template = template.replace("@" + name.upper() + "@", str(value))
    return template


CONFIG = """\
state: @DIR@/state/state.db
archive: @DIR@/archive
send: true
mailboxes:
  work:
    url: "imaps://@USER@@localhost:@IMAP@/@FOLDER@"
    password_file: @DIR@/password
    ca_file: @CA@
    tell_since: 2020-01-01
    poll: 1s
trust: {proof: [none]}
smtp: {url: "smtp://127.0.0.1:@SMTP@", from: perf-bot@example.org, insecure: true}
channels:
  team: {type: mail, to: "@USER@@example.org"}
  chat: {type: webhook, url_file: @DIR@/chat.url, insecure: true}
  book: {type: file, path: @DIR@/book.jsonl}
routes:
  - match: {verdict: regression}
    to: [team, chat, book]
  - match: {verdict: improvement}
    to: [chat]
"""
# What the sample mails are told as, a channel.
TOLD = {"team": 2, "chat": 3, "book": 2}


class Case:
    """One installation, one fault."""

    def __init__(self, peers, program, preload=None, ports=None,
                 folder="INBOX"):
        self.peers, self.program = peers, os.path.abspath(program)
        self.user = f"case{peers.number()}"
        self.dir = os.path.join(peers.dir, self.user)
        os.mkdir(self.dir, 0o700)
        os.mkdir(self.path("state"))
        self.folder, self.env = folder, dict(os.environ)
        self.clock = self.map_clock()
        self.preload = {}
        if preload:
            self.preload = {
                "LD_PRELOAD": " ".join(map(os.path.abspath, preload)),
                "PH_CLOCK_SHIFT": self.path("clock")}
        self.watch = None
        self.configure(ports or {})

    def map_clock(self):
        with open(self.path("clock"), "w+b") as f:
            f.write(bytes(8))
            f.flush()
            return mmap.mmap(f.fileno(), 8)

    def shift_clock(self, seconds):
        """The wall clock of the program, against ours; needs clockshift.so."""
        struct.pack_into("=q", self.clock, 0, seconds)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(os.open(self.path(name), os.O_WRONLY | os.O_CREAT |
                          os.O_TRUNC, 0o600), "w", encoding="utf-8") as f:
            f.write(text)

    def configure(self, ports):
        """ports: where a peer is not where it usually is (a proxy)."""
        http = ports.get("http", self.peers.http.port)
        self.write("password", self.peers.imap["PASSWORD"] + "\n")
        self.write("chat.url",
                   f"http://127.0.0.1:{http}/services/T0/B0/{self.user}\n")
        self.write("perfherald.yaml", fill(CONFIG, {
            "dir": self.dir, "user": self.user, "folder": self.folder,
            "ca": self.peers.imap["CA_FILE"],
            "imap": ports.get("imap", self.peers.imap_port),
            "smtp": ports.get("smtp", self.peers.smtp.port)}))

    def change(self, old, new):
        """Another text in the configuration, in place of one that is there."""
        with open(self.path("perfherald.yaml"), encoding="utf-8") as f:
            text = f.read()
        assert old in text, old
        self.write("perfherald.yaml", text.replace(old, new))

    # -- the mailbox --

    def deliver(self, *mails):
        with smtplib.LMTP("127.0.0.1",
                          int(self.peers.imap["LMTP_PORT"])) as lmtp:
            for mail in mails:
                lmtp.sendmail("lkp@intel.com", [self.user], read(mail))

    def imap(self):
        """A connection of our own to the mailbox."""
        tls = ssl.create_default_context(cafile=self.peers.imap["CA_FILE"])
        box = imaplib.IMAP4_SSL("localhost", self.peers.imap_port,
                                ssl_context=tls)
        box.login(self.user, self.peers.imap["PASSWORD"])
        return box

    # -- the program --

    def command(self, *args):
        return [self.program, "-c", self.path("perfherald.yaml"), *args]

    def wrapped(self, wrap, env=None):
        """The front of a command line: it is preloaded and gets env, and what
        wraps it (strace, which forks too) is not."""
        env = {**self.preload, **(env or {})}
        return [*wrap, "env", *(f"{k}={v}" for k, v in env.items())]

    def run(self, *args, wrap=(), env=None):
        """Runs a command to its end; gives its exit code and what it said."""
        return Session([*self.wrapped(wrap, env), *self.command(*args)],
                       self.env).finish()

    def must(self, *args, **kw):
        """As run; anything but exit code 0 is wrong."""
        code, said = self.run(*args, **kw)
        if code != 0:
            raise Wrong(f"{' '.join(args)}: exit {code}: {said[-600:]}")
        return said

    def start_watch(self, wrap=()):
        """Starts `watch`; what it says goes to the file log."""
        with open(self.path("log"), "ab") as log:
            self.watch = subprocess.Popen(
                [*self.wrapped(wrap), *self.command("-v", "watch")],
                env=self.env,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def log(self):
        return read(self.path("log")).decode("utf-8", "replace")

    def signs(self):
        """Something else each time that the watch has done something."""
        found = []
        for name in ("log", "state/state.db", "state/state.db-wal"):
            try:
                s = os.stat(self.path(name))
                found.append((s.st_size, s.st_mtime_ns))
            except FileNotFoundError:
                found.append(None)
        return found

    def await_true(self, what, look, still=STILL):
        """Waits until look() gives something, as long as the watch lives and
        is not still for so many seconds; what names what is waited for."""
        start = moved = time.monotonic()
        signs = self.signs()
        while True:
            if self.watch.poll() is not None:
                raise Wrong(f"watch ended: {self.log()[-600:]}")
            found = look()
            if found:
                return found
            now, last, signs = time.monotonic(), signs, self.signs()
            if signs != last:
                moved = now
            if now > moved + still or now > start + WHOLE:
                raise Wrong(f"no {what} within {now - start:.0f} s, "
                            f"{now - moved:.0f} of them still: "
                            f"{self.log()[-600:]}")
            time.sleep(0.02)

    def await_log(self, text, times=1, still=STILL):
        self.await_true(f'"{text}" in the log',
                        lambda: self.log().count(text) >= times, still)

    def await_settled(self):
        """All mails are decided, and all notices sent."""
        self.await_true("end of the work", lambda: self.query(
            "SELECT (SELECT count(*) FROM message WHERE state = 0)"
            f" + (SELECT count(*) FROM outbox WHERE state != {SENT})"
        ) == [(0,)])

    def end_watch(self):
        watch, self.watch = self.watch, None
        if not watch:
            return
        if watch.poll() is None:
            watch.terminate()
        try:
            code = watch.wait(70)
        except subprocess.TimeoutExpired:
            watch.kill()
            raise Wrong("watch does not stop") from None
        if code != 0:
            raise Wrong(f"watch ended with {code}: {self.log()[-600:]}")

    # -- what came of it --

    def mails(self):
        to = f"{self.user}@example.org"
        return [eml for env, eml in self.peers.smtp.all()
                if to in json.loads(env)["to"]]

    def posts(self):
        """Without those that broke off: no server takes them."""
        line = f"POST /services/T0/B0/{self.user} ".encode()
        return [body for head, body in self.peers.http.all()
                if head.startswith(line) and
                b"Content-Length: %d\n" % len(body) in head]

    def book(self):
        if not os.path.exists(self.path("book.jsonl")):
            return []
        return read(self.path("book.jsonl")).splitlines()

    def query(self, sql):
        db = sqlite3.connect(self.path("state/state.db"))
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def check_state(self):
        """The state is whole, or was never made."""
        if not os.path.exists(self.path("state/state.db")):
            return
        try:
            found = self.query("PRAGMA integrity_check")
        except sqlite3.DatabaseError as e:
            raise Wrong(f"state: {e}") from None
        if found != [("ok",)]:
            raise Wrong(f"state: {found}")

    def check_told(self, told=None):
        """Each notice was sent: once, or more often with the same bytes
        where the state says that it may have been. Gives the doubles."""
        told = TOLD if told is None else told
        self.check_state()
        rows = self.query("SELECT id, channel, state, body, maybe_dup, reason "
                          "FROM outbox ORDER BY id")
        came = {"team": self.mails(), "chat": self.posts(),
                "book": self.book()}
        for channel in came:
            mine = [r for r in rows if r[1] == channel]
            if len(mine) != told.get(channel, 0):
                raise Wrong(f"{channel}: {len(mine)} notices in the outbox, "
                            f"not {told.get(channel, 0)}")
            for row in mine:
                self.check_row(row, came[channel])
            if came[channel]:
                raise Wrong(f"{channel}: {len(came[channel])} too many came: "
                            f"{came[channel][0][:300]}")
        return sum(bool(r[4]) for r in rows)

    @staticmethod
    def check_row(row, came):
        """Takes what came of it out of came."""
        number, channel, state, body, maybe_dup, reason = row
        name = f"notice {number} to {channel}"
        if state != SENT:
            raise Wrong(f"{name}: state {state} ({reason})")
        copies = [x for x in came if x.strip() == (body or b"").strip()]
        if not copies:
            raise Wrong(f"{name}: recorded as sent, and never came")
        if len(copies) > 1 and not maybe_dup:
            raise Wrong(f"{name}: came {len(copies)} times")
        for copy in copies:
            came.remove(copy)

    def close(self):
        """Takes all of it away, also a watch that still runs."""
        if self.watch:
            self.watch.kill()
            self.watch.wait()
        self.clock.close()
        shutil.rmtree(self.dir, ignore_errors=True)


class Tally:
    """Counts of a run, and what went wrong; printed as it ends."""

    def __init__(self, name):
        self.name, self.bad, self.counts = name, [], {}
        self.lock = threading.Lock()
        self.started = time.monotonic()

    def count(self, what, n=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + n

    def attempt(self, name, case_of, act):
        """act(case) must not raise; what it raises is what went wrong."""
        case = None
        self.count("tried")
        try:
            case = case_of()
            act(case)
            case.end_watch()
        except Wrong as e:
            self.add(name, e)
        except Exception:   # of the test itself: in a pool nobody else sees it
            self.add(name, traceback.format_exc())
        finally:
            if case:
                case.close()

    def add(self, name, what):
        with self.lock:
            self.bad.append(f"{name}: {what}")

    def end(self):
        for line in self.bad[:20]:
            print(f"{self.name}: {line}")
        counts = ", ".join(f"{n} {what}" for what, n in self.counts.items())
        print(f"{self.name}: {counts}, {len(self.bad)} went wrong "
              f"({time.monotonic() - self.started:.0f} s)")
        sys.exit(1 if self.bad else 0)


def sample(items, most):
    """At most so many of them, evenly spread, with the first and the last."""
    items = list(items)
    if len(items) <= most:
        return items
    if most == 1:
        return items[:1]
    return [items[i * (len(items) - 1) // (most - 1)] for i in range(most)]
