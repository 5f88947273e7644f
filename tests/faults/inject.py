#!/usr/bin/python3
"""inject.py PERFHERALD FORKTRACE.so CLOCKSHIFT.so - system calls that fail.

Runs `process` and `watch --once` under strace, which lets one call of one of
their processes fail: files that cannot be opened, written or synced, peers
that cannot be reached. A first run counts the calls; then each is failed in a
run of its own, or --most of a kind and process, evenly spread. After each:

  - it ended by itself, with a documented exit code, and said why when that is
    not 0; a failed write or sync of the state gives 74;
  - the state is whole;
  - the same command two hours later gives 0, and then all notices have come:
    once, or again with the same bytes where the state says so.

Processes of other users are traced, so this wants root, or a kernel that
lets one trace one's own.

  --most N   calls of a kind and process (default 3)
  --only X   process or watch
"""
import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess

import rig
from rig import Case, Peers, Tally, Wrong

# sysexits that the manual page knows for these two.
DOCUMENTED = {0, 65, 66, 69, 71, 73, 74, 75, 78}
ERRORS = {
    "openat": ("EIO", "EACCES", "ENOSPC", "EMFILE"),
    "write": ("EIO", "ENOSPC"),
    "pwrite64": ("EIO", "ENOSPC"),
    "ftruncate": ("EIO",),
    "mkdir": ("ENOSPC", "EACCES"),
    "rename": ("EIO", "ENOSPC"),
    "fsync": ("EIO", "ENOSPC"),
    "fdatasync": ("EIO", "ENOSPC"),
    "pread64": ("EIO",),
    "connect": ("ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH"),
    "sendto": ("ECONNRESET", "EPIPE"),
    "recvfrom": ("ECONNRESET",),
    "clone": ("EAGAIN",),
}
CALL = re.compile(r"(\d+)\s+(\w+)\((.*)")
COMMANDS = {
    "process": ["process", *rig.MAILS],
    "watch": ["watch", "--once"],
}
# Who is who in the tree of processes.
ROLES = {
    "process": {"": "process", "1": "migration", "2": "desk", "3": "courier",
                "3.1": "team", "3.2": "chat", "3.3": "book"},
    "watch": {"": "supervisor", "1": "migration", "2": "worker", "3": "desk",
              "4": "courier", "4.1": "team", "4.2": "chat", "4.3": "book"},
}


def quoted(command):
    return " ".join(map(shlex.quote, command))


class Plan:
    """What a command calls: (place, call, number)."""

    def __init__(self, case, name):
        self.case, self.name = case, name
        trace = case.path("trace")
        prepare(case, name)
        case.must(*COMMANDS[name], env={"PH_FORK_LOG": case.path("forks")},
                  wrap=["strace", "-f", "-yy", "-o", trace, "-e",
                        "trace=" + ",".join(ERRORS)])
        self.calls = list(self.read(trace))
        case.check_told()

    def places(self):
        with open(self.case.path("forks"), encoding="ascii") as f:
            return {pid: place for place, pid in map(str.split, f)}

    def read(self, trace):
        places, seen = self.places(), {}
        with open(trace, encoding="utf-8") as f:
            for line in f:
                m = CALL.match(line)
                if not m:
                    continue
                place, call = places.get(m.group(1), ""), m.group(2)
                n = seen[place, call] = seen.get((place, call), 0) + 1
                if self.wanted(place, call, m.group(3)):
                    yield place, call, n

    def wanted(self, place, call, about):
        """Loading the libraries is not our matter, nor is our own log."""
        if place not in ROLES[self.name]:
            return False
        if call in ("connect", "sendto", "recvfrom"):
            return "TCP" in about
        if call == "openat":
            return self.case.dir in about or "/dev/" in about
        return call != "write" or not about.startswith("2<")

    def sampled(self, most):
        kinds = {}
        for place, call, n in self.calls:
            kinds.setdefault((place, call), []).append(n)
        for (place, call), found in sorted(kinds.items()):
            for i, n in enumerate(rig.sample(found, most)):
                errors = ERRORS[call]
                yield place, call, n, errors[i % len(errors)]


def prepare(case, name):
    if name == "watch":
        case.deliver(*rig.MAILS)


def run_injected(case, name, place, call, n, error):
    """Gives exit code, words and the call that failed, if it came to that."""
    trace = case.path("injected")
    strace = ["strace", "-yy", "-o", trace, "-e", f"trace={call}", "-e",
              f"inject={call}:error={error}:when={n}"]
    if not place:
        code, said = case.run(*COMMANDS[name], wrap=strace)
    else:
        code, said = case.run(*COMMANDS[name], env={
            "PH_TRACE_PLACE": place,
            "PH_TRACE_COMMAND": quoted(strace) + ' -p "$0"'})
    failed = re.search(r".*\(INJECTED\)", rig.read(trace).decode()) \
        if os.path.exists(trace) else None
    return code, said, failed and failed.group()


def allowed(call, failed):
    """The exit codes that the failure of this call may have."""
    if not failed:
        return {0}
    if call in ("pwrite64", "fsync", "fdatasync") and "state.db" in failed:
        return {0, 74}
    # The processes of a courier talk over a pair of sockets. No peer can break
    # that, so it is our own fault when it breaks.
    if call in ("sendto", "recvfrom") and "TCP" not in failed:
        return {0, 70}
    return DOCUMENTED


def try_one(tally, name, what, case):
    place, call, n, error = what
    prepare(case, name)
    code, said, failed = run_injected(case, name, place, call, n, error)
    tally.count("reached" if failed else "not reached")
    if code not in allowed(call, failed):
        raise Wrong(f"exit {code} after {failed}: {said[-600:]}")
    if code and not said.strip():
        raise Wrong(f"exit {code} without a word")
    case.check_state()
    case.shift_clock(2 * rig.HOUR)
    case.must(*COMMANDS[name])
    tally.count("maybe doubled", case.check_told())


def may_trace():
    return subprocess.run(["strace", "-o", "/dev/null", "true"],
                          check=False).returncode == 0 and os.getuid() == 0


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--most", type=int, default=3)
    args.add_argument("--only", choices=COMMANDS)
    args.add_argument("program")
    args.add_argument("forktrace")
    args.add_argument("clockshift")
    args = args.parse_args()
    if not may_trace():
        print("inject: skipped: cannot trace here (not root)")
        return
    preload = [args.forktrace, args.clockshift]
    tally = Tally("inject")
    with Peers() as peers, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        def new_case():
            return Case(peers, args.program, preload)

        for name in [args.only] if args.only else COMMANDS:
            case = new_case()
            plan = list(Plan(case, name).sampled(args.most))
            case.close()
            for what in plan:
                place, call, n, error = what
                label = f"{name}: {ROLES[name][place]}: {call} {n} {error}"
                pool.submit(tally.attempt, label, new_case,
                            lambda case, name=name, what=what:
                            try_one(tally, name, what, case))
    tally.end()


main()
