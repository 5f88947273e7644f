#!/usr/bin/python3
"""oom.py PERFHERALD FAILMALLOC.so MAIL - memory ends at every allocation.

Runs `parse MAIL` and `process MAIL` (each on a fresh state) once for each of
their allocations, or for --most of them spread evenly, with that one failing,
in each of its processes in turn. Each run must end with 71, or with 0 and the
full answer where a library did without; never by a signal. After a failed
`process` the state must be whole, and `process` again must have told what the
mail says.
"""
import argparse
import concurrent.futures
import os
import sqlite3
import sys
import tempfile

import rig


class Case:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.state = os.path.join(folder, "state.db")
        self.config = os.path.join(folder, "perfherald.yaml")
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(f"""\
state: {self.state}
send: true
trust: {{proof: [none]}}
channels:
  out: {{type: file, path: {self.folder}/out.jsonl}}
routes:
  - match: {{verdict: regression}}
    to: [out]
""")

    def run(self, command, fail_at=0, place=""):
        env = dict(os.environ, LD_PRELOAD=self.args.preload,
                   PH_FAIL_PLACE=place,
                   PH_FAIL_AT=str(fail_at),
                   PH_FAIL_COUNT=os.path.join(self.folder, "count"))
        return rig.Session([self.args.program, "-c", self.config, *command],
                           env).finish(20)

    def whole(self):
        if not os.path.exists(self.state):
            return True
        db = sqlite3.connect(self.state)
        ok = db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        db.close()
        return ok

    def made_good(self):
        """Once more, with memory: the mail is known, and has been told; where
        its notice waits for another try, when that is asked for."""
        out = os.path.join(self.folder, "out.jsonl")
        if self.run(["process", self.args.mail])[0] != 0:
            return False
        return os.path.exists(out) or (
            self.run(["outbox", "retry", "1"])[0] == 0 and
            os.path.exists(out))

    def count(self, command, place):
        """How often a process allocates, and the command's answer."""
        code, answer = self.run(command, 0, place)
        if code != 0:
            sys.exit(f"{command}: exit {code}: {answer}")
        with open(os.path.join(self.folder, "count"), encoding="ascii") as f:
            return int(f.read()), answer

    def try_one(self, command, place, n, answer):
        """What is wrong when allocation n fails; None: nothing."""
        try:
            code, said = self.run(command, n, place)
        except rig.Wrong as e:
            return str(e)
        if code not in (0, 71):
            return f"exit {code}: {said[-200:]}"
        if code == 0 and answer not in said:
            return f"exit 0 and another answer: {said[-200:]}"
        if not self.whole():
            return "state damaged"
        if command[0] == "process" and not self.made_good():
            return "not told afterwards"
        return None


def in_own_case(args, act, *more):
    """act(case, ...) on a fresh state."""
    with tempfile.TemporaryDirectory(prefix="perfherald-oom-") as folder:
        return act(Case(args, folder), *more)


def try_all(pool, args, command, place, name):
    total, answer = in_own_case(args, Case.count, command, place)
    tries = range(1, total + 1, max(1, total // args.most))
    found = pool.map(lambda n: in_own_case(args, Case.try_one, command, place,
                                           n, answer), tries)
    bad = [f"{name}: allocation {n}: {wrong}"
           for n, wrong in zip(tries, found) if wrong]
    print(f"oom: {name}: {len(tries)} of {total} allocations failed, "
          f"{len(bad)} badly", flush=True)
    return bad


# Each process of a command, by its place (place.h).
PROCESSES = (
    ("parse", "", "parse"),
    ("process", "", "process"),
    ("process", "1", "process, migration"),
    ("process", "2", "process, desk"),
    ("process", "3", "process, courier"),
    ("process", "3.1", "process, a channel"),
)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--most", type=int, default=10 ** 9)
    args.add_argument("program")
    args.add_argument("preload")
    args.add_argument("mail")
    args = args.parse_args()
    bad = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for command, place, name in PROCESSES:
            bad += try_all(pool, args, [command, args.mail], place, name)
    for line in bad[:20]:
        print(line)
    sys.exit(1 if bad else 0)


main()
