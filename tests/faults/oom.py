#!/usr/bin/python3
"""oom.py PERFHERALD FAILMALLOC.so MAIL - memory ends at every allocation.

Runs `parse MAIL` and `process MAIL` (each on a fresh state) once for each of
their allocations, or for --most of them spread evenly, with that one failing.
Each run must end with 71, or with 0 and the full answer where a library did
without; never by a signal. After a failed `process` the state must be whole,
and `process` again must take the mail in.
"""
import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile


class Case:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.state = os.path.join(folder, "state.db")
        self.config = os.path.join(folder, "perfherald.yaml")
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(f"state: {self.state}\ntrust: {{proof: [none]}}\n")

    def clear(self):
        for name in os.listdir(self.folder):
            if name.startswith("state.db"):
                os.unlink(os.path.join(self.folder, name))

    def run(self, command, fail_at=0):
        env = dict(os.environ, LD_PRELOAD=self.args.preload,
                   PH_FAIL_AT=str(fail_at),
                   PH_FAIL_COUNT=os.path.join(self.folder, "count"))
        return subprocess.run([self.args.program, "-c", self.config, *command,
                               self.args.mail], env=env, timeout=60,
                              capture_output=True, check=False)

    def whole(self):
        if not os.path.exists(self.state):
            return True
        db = sqlite3.connect(self.state)
        ok = db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        db.close()
        return ok

    def try_all(self, command):
        """The allocations of a command and what went wrong with some."""
        self.clear()
        good = self.run(command)
        if good.returncode != 0:
            sys.exit(f"{command}: exit {good.returncode}: {good.stderr}")
        with open(os.path.join(self.folder, "count"), encoding="ascii") as f:
            total = int(f.read())
        step = max(1, total // self.args.most)
        bad, tried = [], 0
        for n in range(1, total + 1, step):
            self.clear()
            tried += 1
            got = self.run(command, n)
            if got.returncode not in (0, 71):
                bad.append(f"{command[0]}: allocation {n}: exit "
                           f"{got.returncode}: {got.stderr.decode()[-200:]}")
            elif got.returncode == 0 and got.stdout != good.stdout:
                bad.append(f"{command[0]}: allocation {n}: exit 0 and another "
                           "answer")
            elif not self.whole():
                bad.append(f"{command[0]}: allocation {n}: state damaged")
            elif command[0] == "process" and \
                    self.run(command).returncode != 0:
                bad.append(f"process: allocation {n}: not taken in afterwards")
        print(f"oom: {command[0]}: {tried} of {total} allocations failed, "
              f"{len(bad)} badly")
        return bad


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--most", type=int, default=10 ** 9)
    args.add_argument("program")
    args.add_argument("preload")
    args.add_argument("mail")
    args = args.parse_args()
    folder = tempfile.mkdtemp(prefix="perfherald-oom-")
    try:
        case = Case(args, folder)
        bad = case.try_all(["parse"]) + case.try_all(["process"])
    finally:
        shutil.rmtree(folder)
    for line in bad[:20]:
        print(line)
    sys.exit(1 if bad else 0)


main()
