#!/usr/bin/python3
"""demo.py PERFHERALD - the whole way, on a mailbox of its own.

Starts a private Dovecot with its own certificate authority, a mail sink and a
chat sink on free loopback ports, runs the real watcher against them over TLS,
delivers sample reports over LMTP, and shows what comes out. The samples are
signed as the robot signs, with a key made here and pinned in the
configuration, so that the watcher has to prove them like real ones. Everything
lives in one temporary folder and ends with this program.
"""
import base64
import email
import email.policy
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

import dkim

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
BOLD, PLAIN = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")


def say(text):
    print(f"{BOLD}{text}{PLAIN}", flush=True)


def words(value):
    """The text of Slack's rich text, without its styles."""
    if isinstance(value, list):
        return "".join(map(words, value))
    if value.get("type") == "link":
        return f"{value['text']} <{value['url']}>"
    return value.get("text") or words(value.get("elements", []))


class Demo:
    payload_shown = False

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.dir = tempfile.mkdtemp(prefix="perfherald-demo-")
        os.chmod(self.dir, 0o711)  # started by root, Dovecot runs as nobody
        self.children = []

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def start(self, *args, **kw):
        child = subprocess.Popen(args, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True, **kw)
        self.children.append(child)
        return child

    def sink(self, script, folder, *args):
        """Starts one of the tests' sinks; the word after its first is the
        port."""
        os.mkdir(self.path(folder))
        child = self.start(os.path.join(TESTS, script), self.path(folder),
                           *args)
        return int(child.stdout.readline().split()[-1])

    def wait_for(self, what, look, seconds=20):
        """Waits until look() gives something; what names it in the error."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            if self.watch.poll() is not None:
                raise SystemExit(f"the watcher ended: see above")
            time.sleep(0.02)
        for command in (["status"], ["outbox", "list"], ["list"]):
            self.command(*command)
        raise SystemExit(f"no {what} within {seconds} s")

    def servers(self):
        say("A private Dovecot, a mail sink and a chat sink on 127.0.0.1 ...")
        subprocess.run([os.path.join(TESTS, "dovecot.sh"), "start",
                        self.path("dovecot")], check=True)
        with open(self.path("dovecot", "env"), encoding="utf-8") as f:
            self.imap = dict(line.strip().split("=", 1) for line in f)
        self.smtp_port = self.sink("smtp_sink.py", "mails")
        self.http_port = self.sink("http_sink.py", "posts")

    def key(self):
        pem = subprocess.run(["openssl", "genrsa", "2048"], check=True,
                             capture_output=True).stdout
        der = subprocess.run(["openssl", "rsa", "-pubout", "-outform", "DER"],
                             input=pem, check=True, capture_output=True).stdout
        self.private = pem
        with open(self.path("dkim.keys"), "w", encoding="ascii") as f:
            f.write("demo._domainkey.intel.com: v=DKIM1; k=rsa; p="
                    + base64.b64encode(der).decode() + "\n")

    def secret(self, name, text):
        fd = os.open(self.path(name), os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(fd, text.encode() + b"\n")
        os.close(fd)
        return self.path(name)

    def configuration(self):
        text = f"""\
state: {self.path("state.db")}
send: true
mailboxes:
  demo:
    url: imaps://demo@localhost:{self.imap["IMAPS_PORT"]}/INBOX
    password_file: {self.secret("imap.secret", self.imap["PASSWORD"])}
    ca_file: {self.imap["CA_FILE"]}
trust:
  proof: [dkim]
  dkim: [intel.com]
  dkim_keys: {self.path("dkim.keys")}
smtp:
  url: smtp://127.0.0.1:{self.smtp_port}
  from: perfherald <perf-bot@example.org>
  insecure: true            # a sink on this machine, without TLS
channels:
  author: {{type: mail, to: "@author", allow: ["*@author.example"]}}
  chat:
    type: slack
    url_file: {self.secret("chat.url",
                           f"http://127.0.0.1:{self.http_port}/services/T0/B0/demo")}
    insecure: true
routes:
  - match: {{verdict: regression}}
    to: [author, chat]
  - match: {{verdict: improvement, min_percent: 5}}
    to: [chat]
"""
        with open(self.path("perfherald.yaml"), "w", encoding="utf-8") as f:
            f.write(text)
        say("Its configuration:")
        print(re.sub("(?m)^", "    ", text))

    def run_watch(self):
        self.watch = self.start(self.program, "-v", "-c",
                                self.path("perfherald.yaml"), "watch",
                                stderr=subprocess.PIPE)
        say("perfherald watch ...")
        for line in self.watch.stderr:
            print("    " + line, end="", flush=True)
            if "waiting for mail" in line:
                return
        raise SystemExit("the watcher ended")

    def deliver(self, name):
        with open(os.path.join(HERE, name), "rb") as f:
            mail = f.read().replace(b"\n", b"\r\n")
        head = [b"from", b"to", b"cc", b"subject", b"date", b"message-id"]
        signed = dkim.sign(mail, b"demo", b"intel.com", self.private,
                           include_headers=head) + mail
        subprocess.run([os.path.join(TESTS, "dovecot.sh"), "deliver",
                        self.path("dovecot"), "demo"], input=signed,
                       check=True)

    def mails(self):
        return sorted(glob.glob(self.path("mails", "*.eml")))

    def posts(self):
        return sorted(glob.glob(self.path("posts", "*.body")))

    def show_mail(self, path):
        with open(path, "rb") as f:
            mail = email.message_from_binary_file(f,
                                                  policy=email.policy.default)
        for field in ("From", "To", "Subject", "Message-ID", "In-Reply-To"):
            print(f"    {field}: {mail[field]}")
        print()
        print(re.sub("(?m)^", "    ", mail.get_content()))

    def show_post(self, path):
        """A post as its readers see it; the first one as it was sent, too."""
        with open(path, encoding="utf-8") as f:
            payload = f.read()
        print(re.sub("(?m)^", "    ", words(json.loads(payload)["blocks"])))
        if not self.payload_shown:
            self.payload_shown = True
            print("\n    which is, as sent:")
            for line in textwrap.wrap(payload, 72, break_on_hyphens=False):
                print("      " + line)
        print()

    def told(self, name, mails, posts):
        """Delivers a report and shows the notices that follow."""
        before = len(self.mails()), len(self.posts())
        start = time.monotonic()
        self.deliver(name)
        self.wait_for("notice", lambda: len(self.mails()) >= before[0] + mails
                      and len(self.posts()) >= before[1] + posts)
        print(f"    ({time.monotonic() - start:.2f} s from the delivery to "
              "the last notice)\n")
        for path in self.mails()[before[0]:]:
            say("The mail:")
            self.show_mail(path)
        for path in self.posts()[before[1]:]:
            say("The post:")
            self.show_post(path)

    def command(self, *args):
        say("perfherald " + " ".join(args))
        out = subprocess.run([self.program, "-c",
                              self.path("perfherald.yaml"), *args],
                             capture_output=True, text=True)
        print(re.sub("(?m)^", "    ", out.stdout + out.stderr), flush=True)
        return out.stdout

    def stop(self):
        watch = getattr(self, "watch", None)
        if watch and watch.poll() is None:
            watch.send_signal(signal.SIGTERM)
            watch.wait(20)
        for child in self.children:
            if child.stdin:
                child.stdin.close()
        for child in self.children:
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        dovecot = self.path("dovecot")
        if os.path.exists(os.path.join(dovecot, "control")):
            subprocess.run([os.path.join(TESTS, "dovecot.sh"), "stop",
                            dovecot], check=False)
        # the server removes its folder as its last act
        stopped = not os.path.exists(dovecot)
        shutil.rmtree(self.dir, ignore_errors=True)
        if not stopped:
            raise SystemExit("the private Dovecot did not stop")


def main():
    demo = Demo(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        demo.key()
        demo.servers()
        demo.configuration()
        demo.run_watch()
        say("A report of a regression is delivered:")
        demo.told("1-regression.eml", 1, 1)
        say("The robot found the same commit slower in another test: an "
            "update in the same thread:")
        demo.told("2-another-test.eml", 1, 1)
        say("The first report again, as another list sends it: nothing is "
            "said twice. Then an improvement:")
        demo.deliver("1-regression.eml")
        demo.told("3-improvement.eml", 0, 1)
        demo.command("list")
        demo.command("status")
        if len(demo.mails()) != 2 or len(demo.posts()) != 3:
            raise SystemExit(f"{len(demo.mails())} mails and "
                             f"{len(demo.posts())} posts, not 2 and 3")
    finally:
        demo.stop()
    say("Done: 4 deliveries, 2 mails, 3 posts. Everything is stopped and "
        "removed.")


main()
