#!/usr/bin/python3
"""kill.py PERFHERALD - kills the program at every step, and at random.

PERFHERALD is built with -DPH_STEPS (bot/step.h). Steps: the same mails go
through a fresh state again and again, each time with one death at another
step; after a second run without a death the state and what has been sent must
be as if nothing had happened. Random: a watch under load, one of its processes
killed at random times. A notice may arrive twice only where its row says that
it may have (maybe_dup), and then as the same mail. Exit status 1 when anything
was lost, doubled or different.

  --every N    only each N-th step (1)
  --only NAME  only steps of this name
  --stop       at the first damage
  --random N   that many random kills (0: steps only)
  --reports N  reports delivered while they happen (60)
  --no-steps   random kills only
  --seed N     of the random choices (1)
"""
import argparse
import collections
import glob
import imaplib
import json
import os
import random
import shutil
import signal
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
DEMO = os.path.join(TESTS, "demo")


class Failure(Exception):
    pass


class Peers:
    """Dovecot and the two sinks, shared by all runs."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="perfherald-kill-")
        os.chmod(self.dir, 0o711)  # as root the server runs as nobody
        self.children = []

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def sink(self, script, folder):
        os.mkdir(self.path(folder))
        child = subprocess.Popen(
            ["/usr/bin/python3", os.path.join(TESTS, script),
             self.path(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.children.append(child)
        return int(child.stdout.readline().split()[-1])

    def start(self):
        subprocess.run([os.path.join(TESTS, "dovecot.sh"), "start",
                        self.path("dovecot")], check=True)
        with open(self.path("dovecot", "env"), encoding="utf-8") as f:
            self.imap = dict(line.strip().split("=", 1) for line in f)
        self.smtp_port = self.sink("smtp_sink.py", "mails")
        self.http_port = self.sink("http_sink.py", "posts")

    def stop(self):
        for child in self.children:
            child.stdin.close()
            child.wait()
        if os.path.exists(self.path("dovecot")):
            subprocess.run([os.path.join(TESTS, "dovecot.sh"), "stop",
                            self.path("dovecot")], check=False)
        shutil.rmtree(self.dir, ignore_errors=True)

    def deliver(self, user, mail):
        subprocess.run([os.path.join(TESTS, "dovecot.sh"), "deliver",
                        self.path("dovecot"), user], input=mail, check=True)

    def mails(self):
        return len(glob.glob(self.path("mails", "*.eml")))

    def posts(self):
        return len(glob.glob(self.path("posts", "*.body")))


class Run:
    """One state of its own: folder, mailbox user, configuration."""

    def __init__(self, peers, program, name):
        self.peers, self.program, self.name = peers, program, name
        self.dir = peers.path(name)
        self.config = os.path.join(self.dir, "perfherald.yaml")
        os.mkdir(self.dir, 0o700)
        self.mails0, self.posts0 = peers.mails(), peers.posts()
        self.secret("imap", peers.imap["PASSWORD"])
        self.secret("chat", f"http://127.0.0.1:{peers.http_port}/hooks/kill")
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(f"""\
state: {self.dir}/state.db
send: true
mailboxes:
  work:
    url: imaps://{name}@localhost:{peers.imap["IMAPS_PORT"]}/INBOX
    password_file: {self.dir}/imap
    ca_file: {peers.imap["CA_FILE"]}
    tell_since: 2020-01-01
    done: seen
trust: {{proof: [none]}}
smtp:
  url: smtp://127.0.0.1:{peers.smtp_port}
  from: perf-bot@example.org
  insecure: true
channels:
  team: {{type: mail, to: team@example.org, max_per_hour: 3600}}
  chat: {{type: mattermost, url_file: {self.dir}/chat, insecure: true,
          max_per_hour: 3600}}
routes:
  - match: {{verdict: [regression, improvement]}}
    to: [team, chat]
""")

    def secret(self, name, text):
        fd = os.open(os.path.join(self.dir, name), os.O_WRONLY | os.O_CREAT,
                     0o600)
        os.write(fd, text.encode())
        os.close(fd)

    def command(self, *args):
        return [self.program, "-c", self.config, *args]

    def once(self, kill=None, **more):
        env = dict(os.environ, PH_STEP_LOG=os.path.join(self.dir, "steps"),
                   **more)
        if kill:
            env["PH_STEP_KILL"] = kill
        else:
            env.pop("PH_STEP_KILL", None)
        with open(os.path.join(self.dir, "log"), "ab") as log:
            # It may die itself, and its children then end a moment later.
            for _ in range(200):
                done = subprocess.run(self.command("watch", "--once"), env=env,
                                      stdout=log, stderr=log, check=False)
                if done.returncode != 75:
                    return done.returncode
                time.sleep(0.05)
        raise Failure("still locked after 10 s")

    def steps(self):
        with open(os.path.join(self.dir, "steps"), encoding="ascii") as f:
            return f.read().split("\n")[:-1]

    def query(self, sql):
        with sqlite3.connect(f"file:{self.dir}/state.db?mode=ro",
                             uri=True) as db:
            return db.execute(sql).fetchall()

    def tables(self):
        """What must come out the same, however often it died."""
        return {
            "messages": self.query(
                "SELECT m.uid, m.state, m.msgid, p.title, m.history"
                " FROM message m LEFT JOIN patch p ON p.id = m.patch"
                " ORDER BY m.uid"),
            "patches": self.query(
                "SELECT title, commit_id FROM patch ORDER BY title"),
            "results": self.query(
                "SELECT testcase, metric, host, percent, news FROM result"
                " ORDER BY 1, 2, 3, 4"),
            "notices": self.query(
                "SELECT channel, target, kind, state, key FROM outbox"
                " ORDER BY 1, 2, 3, 5"),
            "cursor": self.query("SELECT cursor FROM folder"),
            "text": self.query("SELECT count(*) FROM message_text"),
            "unseen": self.unseen(),
        }

    def unseen(self):
        """What the server was not told of, though the mailbox's `done` says
        that it shall be."""
        tls = ssl.create_default_context(cafile=self.peers.imap["CA_FILE"])
        with imaplib.IMAP4_SSL("localhost", int(self.peers.imap["IMAPS_PORT"]),
                               ssl_context=tls) as box:
            box.login(self.name, self.peers.imap["PASSWORD"])
            box.select("INBOX", readonly=True)
            return box.uid("SEARCH", "UNSEEN")[1][0].split()

    def check_sent(self):
        """Each notice once; twice only as the same mail and where its row says
        so. Gives how many came twice."""
        doubles = 0
        rows = self.query("SELECT channel, message_id, maybe_dup, state, body"
                          " FROM outbox")
        if any(row[3] != 3 for row in rows):
            raise Failure(f"not all sent: {[row[:4] for row in rows]}")
        got = collections.Counter(self.sent_mails() + self.sent_posts())
        for channel, message_id, maybe_dup, _, body in rows:
            key = (channel, message_id if channel == "team" else
                   json.dumps(json.loads(body), sort_keys=True))
            n = got.pop(key, 0)
            if n == 0:
                raise Failure(f"lost: {key}")
            if n > 1 and not maybe_dup:
                raise Failure(f"{n} times, though its row says once: {key}")
            doubles += n - 1
        if got:
            raise Failure(f"sent, but in no row: {list(got)}")
        return doubles

    def sent_mails(self):
        found, texts = [], {}
        for n in range(self.mails0 + 1, self.peers.mails() + 1):
            with open(self.peers.path("mails", f"{n}.eml"), "rb") as f:
                text = f.read()
            message_id = text.split(b"\nMessage-ID: <")[1].split(b">")[0]
            if texts.setdefault(message_id, text) != text:
                raise Failure(f"two mails with the id {message_id}")
            found.append(("team", message_id.decode()))
        return found

    def sent_posts(self):
        found = []
        for n in range(self.posts0 + 1, self.peers.posts() + 1):
            with open(self.peers.path("posts", f"{n}.body"), "rb") as f:
                found.append(("chat",
                              json.dumps(json.load(f), sort_keys=True)))
        return found


def demo_mails():
    mails = []
    for name in ("1-regression", "2-another-test", "1-regression",
                 "3-improvement"):
        with open(os.path.join(DEMO, name + ".eml"), "rb") as f:
            mails.append(f.read().replace(b"\n", b"\r\n"))
    return mails


def one_run(peers, program, name, kill=None):
    run = Run(peers, program, name)
    for mail in demo_mails():
        peers.deliver(name, mail)
    code = run.once(kill)
    if kill is None and code:
        show_log(run.dir)
        raise Failure(f"the run without a death ended with {code}")
    for _ in range(3):
        if code == 0:
            break
        code = run.once()
    if code:
        raise Failure(f"does not come back: exit code {code}")
    # After the death of a carrier its notice waits as after a lost reply.
    for _ in range(40):
        if not run.query("SELECT 1 FROM outbox WHERE state = 1"):
            break
        time.sleep(0.5)
        run.once()
    return run


def describe(a, b):
    return "\n".join(f"  {key}: {a[key]}\n   but: {b[key]}"
                     for key in a if a[key] != b[key])


def show_log(folder):
    with open(os.path.join(folder, "log"), encoding="utf-8") as f:
        print(f.read(), end="")


def check_reference(tables):
    """Four mails, one of them a copy, about two patches, told twice each."""
    counts = {name: len(rows) for name, rows in tables.items()}
    want = {"messages": 4, "patches": 2, "notices": 6, "cursor": 1,
            "unseen": 0}
    if any(counts[name] != n for name, n in want.items()) or \
            tables["cursor"] != [(4,)]:
        raise Failure("the run without a death went wrong: "
                      f"{counts}, cursor {tables['cursor']}")


def steps_to_try(reference, args):
    seen = collections.Counter()
    kills = []
    for name in reference.steps():
        seen[name] += 1
        if args.only in (None, name):
            kills.append(f"{name}:{seen[name]}")
    return kills[::args.every]


def kill_at_steps(peers, program, args):
    reference = one_run(peers, program, "reference")
    want = reference.tables()
    check_reference(want)
    reference.check_sent()
    kills = steps_to_try(reference, args)
    doubles = collections.Counter()
    bad = 0
    for i, kill in enumerate(kills):
        name = f"step{i}"
        try:
            run = one_run(peers, program, name, kill)
            if run.tables() != want:
                raise Failure("the state differs\n" +
                              describe(want, run.tables()))
            doubles[kill.split(":")[0]] += run.check_sent()
        except Failure as failure:
            bad += 1
            print(f"killed at \"{kill}\": {failure}")
            if bad == 1 and os.path.exists(peers.path(name, "log")):
                show_log(peers.path(name))
            if args.stop:
                break
        shutil.rmtree(peers.path(name), ignore_errors=True)
    causes = ", ".join(f"{n} after \"{step}\""
                       for step, n in doubles.items() if n) or "none"
    print(f"{len(kills)} deaths at steps, {bad} with damage; "
          f"notices that came twice: {causes}")
    return bad == 0


def check_poison(peers, program):
    """A mail that crashes its worker is tried once more, alone, and then set
    aside; the others are told, by the same watch."""
    run = Run(peers, program, "poison")
    for mail in demo_mails():
        peers.deliver("poison", mail)
    code = run.once(PH_STEP_POISON="vm-scalability.throughput 6.1%")
    if code:
        show_log(run.dir)
        raise Failure(f"a poisoned mail ended the watch with {code}")
    states = run.query("SELECT uid, state FROM message ORDER BY uid")
    deaths = run.query("SELECT uid, deaths FROM death")
    if [uid for uid, state in states if state == 9] != [2] or \
            len(states) != 4 or deaths != [(2, 2)]:
        raise Failure(f"poison: {states}, deaths {deaths}")
    if run.query("SELECT cursor FROM folder") != [(4,)]:
        raise Failure("poison: the cursor stands before it")
    run.check_sent()
    if len(run.sent_mails()) != 2:
        raise Failure("poison: the others were not told")
    print("a mail that kills its worker is set aside after two deaths")


# -- at random times --

def report(n):
    """The n-th of as many reports as are wanted, each about its own patch."""
    with open(os.path.join(DEMO, "1-regression.eml"), "rb") as f:
        mail = f.read()
    commit = b"%040x" % (0x5d41c0ffee18b7a0c3e29f61d4b75a8890e1f2a3 + n * 7919)
    mail = mail.replace(b"5d41c0ffee18b7a0c3e29f61d4b75a8890e1f2a3", commit)
    mail = mail.replace(b"5d41c0ffee", commit[:10])
    mail = mail.replace(b"4e1c09ab", b"%08x" % n)
    mail = mail.replace(b"walk the per-node folio list under one lock",
                        b"walk the per-node folio list %d" % n)
    return mail.replace(b"\n", b"\r\n")


def descendants(pid):
    found = []
    for child in open(f"/proc/{pid}/task/{pid}/children",
                      encoding="ascii").read().split():
        found.append(int(child))
        try:
            found += descendants(int(child))
        except FileNotFoundError:
            pass
    return found


def start_watch(run, log):
    for _ in range(200):
        watch = subprocess.Popen(run.command("watch"), stdout=log, stderr=log)
        time.sleep(0.05)
        if watch.poll() is None:
            return watch
        if watch.returncode != 75:
            raise Failure(f"watch ended with {watch.returncode}")
    raise Failure("still locked after 10 s")


def strike(run, watch, log, choice):
    """Kills one process of the watch, itself one time in four."""
    children = descendants(watch.pid)
    if not children or choice.random() < 0.25:
        watch.kill()
        watch.wait()
        return start_watch(run, log), "supervisor"
    pid = choice.choice(children)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return watch, "child"


def wait_all_sent(run, n, seconds=400):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if run.query("SELECT count(*) FROM outbox WHERE state = 3"
                         )[0][0] >= 2 * n:
                return
        except sqlite3.OperationalError:
            pass
        time.sleep(0.1)
    raise Failure("not all was sent: " + str(run.query(
        "SELECT state, count(*) FROM outbox GROUP BY 1") + run.query(
        "SELECT state, count(*) FROM message GROUP BY 1")))


def random_kills(peers, program, kills, reports, seed):
    choice = random.Random(seed)
    run = Run(peers, program, "random")
    counts = collections.Counter()
    with open(os.path.join(run.dir, "log"), "ab") as log:
        watch = start_watch(run, log)
        try:
            delivered = 0
            for i in range(kills):
                while delivered < reports * (i + 1) // kills:
                    peers.deliver("random", report(delivered))
                    delivered += 1
                time.sleep(choice.uniform(0.0, 0.3))
                watch, what = strike(run, watch, log, choice)
                counts[what] += 1
            wait_all_sent(run, reports)
        finally:
            watch.terminate()
            watch.wait()
    doubles = run.check_sent()
    poison = run.query("SELECT count(*) FROM message WHERE state = 9")[0][0]
    if poison:
        raise Failure(f"{poison} mails are called poison")
    print(f"{kills} random kills ({counts['supervisor']} of the supervisor), "
          f"{reports} reports, {2 * reports} notices: 0 lost, {doubles} came "
          "twice")


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("program")
    parse.add_argument("--every", type=int, default=1)
    parse.add_argument("--only")
    parse.add_argument("--stop", action="store_true")
    parse.add_argument("--random", type=int, default=0)
    parse.add_argument("--reports", type=int, default=60)
    parse.add_argument("--no-steps", action="store_true")
    parse.add_argument("--seed", type=int, default=1)
    args = parse.parse_args()
    peers = Peers()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    good = True
    try:
        peers.start()
        program = os.path.abspath(args.program)
        if not args.no_steps and not args.only:
            check_poison(peers, program)
        if not args.no_steps:
            good = kill_at_steps(peers, program, args)
        if args.random:
            random_kills(peers, program, args.random, args.reports, args.seed)
    except Failure as failure:
        print(f"kill.py: {failure}")
        good = False
    finally:
        peers.stop()
    sys.exit(not good)


main()
