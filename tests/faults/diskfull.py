#!/usr/bin/python3
"""diskfull.py PERFHERALD CLOCKSHIFT.so - the state's file system fills up.

In a mount namespace of its own, the folder of state and archive of each case
is a tmpfs of 2 MiB, filled but for so many KiB. `process` and `watch --once`
must end with 0 or with 74 and words, and leave a state that is whole; with
room again the same command must tell everything, nothing twice unless the
state says so. A running watch must say that the disk is full, not spin, and
go on by itself when there is room.

Wants root; says that it was skipped without.

  --most N   amounts of room (default 8)
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import time

import rig
from rig import Case, Peers, Tally, Wrong

SIZE = 2048     # KiB of the file system
NEED = 1000     # KiB that are more than enough
COMMANDS = {
    "process": ["process", *rig.MAILS],
    "watch": ["watch", "--once"],
}


class SmallCase(Case):
    """A case whose state and archive lie on a small file system."""

    def __init__(self, peers, program, clockshift):
        super().__init__(peers, program, [clockshift])
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}k", "none",
                        self.path("state")], check=True)
        self.change(self.path("archive"), self.path("state/archive"))
        self.change(self.path("book.jsonl"), self.path("state/book.jsonl"))

    def book(self):
        path = self.path("state/book.jsonl")
        return rig.read(path).splitlines() if os.path.exists(path) else []

    def fill(self, room):
        """Leaves so many KiB."""
        free = os.statvfs(self.path("state"))
        size = free.f_bavail * free.f_bsize - room * 1024
        with open(self.path("state/filler"), "wb") as f:
            if size > 0:
                os.posix_fallocate(f.fileno(), 0, size)

    def make_room(self):
        os.unlink(self.path("state/filler"))

    def close(self):
        if self.watch:
            self.watch.kill()
            self.watch.wait()
            self.watch = None
        subprocess.run(["umount", "-l", self.path("state")], check=True)
        super().close()


def one_command(tally, name, room, case):
    case.deliver(*rig.MAILS)
    case.fill(room)
    code, said = case.run(*COMMANDS[name])
    if code not in (0, 74):
        raise Wrong(f"exit {code}: {said[-600:]}")
    if code and "o space left" not in said and "disk is full" not in said:
        raise Wrong(f"exit {code}, and no word of the disk: {said[-600:]}")
    tally.count("full" if code else "had room")
    case.make_room()
    case.check_state()
    case.shift_clock(2 * rig.HOUR)
    case.must(*COMMANDS[name])
    tally.count("maybe doubled", case.check_told())


def running_watch(tally, room, case):
    """Three seconds of a full disk, while mails come."""
    case.imap().logout()
    case.start_watch()
    case.await_log("waiting for mail")
    case.fill(room)
    before = case.log()
    case.deliver(*rig.MAILS)
    start = time.monotonic()
    while time.monotonic() < start + 3:
        if case.watch.poll() is not None:
            raise Wrong(f"watch ended: {case.log()[-600:]}")
        time.sleep(0.1)
    said = case.log()[len(before):]
    if said.count("\n") > 60:
        raise Wrong(f"{said.count(chr(10))} lines in 3 s: {said[-600:]}")
    full = "disk is full" in said or "o space left" in said
    tally.count("full" if full else "had room")
    case.make_room()
    case.await_true("notices",
                    lambda: case.query("SELECT count(*) FROM outbox WHERE "
                                       f"state = {rig.SENT}")[0][0] == 7)
    case.end_watch()
    tally.count("maybe doubled", case.check_told())


def in_own_namespace():
    """Mounts go away with this process, whatever happens to it."""
    if os.environ.get("PH_OWN_MOUNTS") != "yes":
        os.environ["PH_OWN_MOUNTS"] = "yes"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--most", type=int, default=8)
    args.add_argument("program")
    args.add_argument("clockshift")
    args = args.parse_args()
    if os.getuid() != 0 or subprocess.run(
            ["unshare", "--mount", "true"], check=False).returncode != 0:
        print("diskfull: skipped: cannot mount here (not root)")
        return
    in_own_namespace()
    tally = Tally("diskfull")
    with Peers() as peers, \
            concurrent.futures.ThreadPoolExecutor(4) as pool:
        def new_case():
            return SmallCase(peers, args.program, args.clockshift)

        for room in rig.sample(range(0, NEED, 4), args.most):
            for name in COMMANDS:
                pool.submit(tally.attempt, f"{name} with {room} KiB", new_case,
                            lambda case, name=name, room=room:
                            one_command(tally, name, room, case))
        for room in rig.sample(range(0, NEED, 4), args.most):
            pool.submit(tally.attempt, f"a running watch with {room} KiB",
                        new_case, lambda case, room=room:
                        running_watch(tally, room, case))
    tally.end()


main()
