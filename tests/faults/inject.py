#!/usr/bin/python3
"""inject.py PERFHERALD FORKTRACE.so CLOCKSHIFT.so - system calls that fail.

Runs `process` and `watch --once` under strace, which lets one call of one of
their processes fail: files that cannot be opened, written or synced, peers
that cannot be reached. A first run counts the calls, by process, call and what
it is about (the state, the archive, a peer ...); then each is failed in a run
of its own, or --most of a kind, evenly spread. After each:

  - it ended by itself, with a documented exit code, and said why when that is
    not 0; a failed write or sync of the state gives 74;
  - the state is whole;
  - the same command two hours later gives 0, and then all notices have come:
    once, or again with the same bytes where the state says so.

Two runs differ a little, so a call that was counted may not come again; such
runs are printed as a number, "not reached".

Processes of other users are traced, so this wants root, or a kernel that
lets one trace one's own.

  --most N   calls of a kind (default 3)
  --only X   process or watch
  --call X   only this system call
  -v         prints what is to be failed, and what was not reached
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
    "sendmsg": ("EPIPE", "ENOBUFS"),
    "recvfrom": ("ECONNRESET",),
    "clone": ("EAGAIN",),
}
CALL = re.compile(r"(\d+)\s+(\w+)\((.*)")
COMMANDS = {
    "process": ["process", *rig.MAILS],
    "watch": ["watch", "--once"],
}
# Who is who in the tree of processes. The git helper's scan (2.1, 3.1) is not
# here: it is forked when the helper has shut itself in, where no strace starts.
ROLES = {
    "process": {"": "process", "1": "migration", "2": "git", "3": "desk",
                "4": "courier", "4.1": "team", "4.2": "chat", "4.3": "book"},
    "watch": {"": "supervisor", "1": "migration", "2": "worker", "3": "git",
              "4": "desk", "5": "courier", "5.1": "team", "5.2": "chat",
              "5.3": "book"},
}
# What a call may be about; the first that its arguments have.
ABOUT = (
    ("peer", "TCP"),
    ("our socket", "<UNIX"),
    ("bell", "[eventfd]"),
    ("output", "<pipe:"),
    ("state", "/state/"),
    ("folder", "/state>"),
    ("archive", "/archive"),
    ("tree", "/tree"),
    ("file", "/case"),      # the folder of the case
    ("device", "/dev/"),
)

VERBOSE = False


def quoted(command):
    return " ".join(map(shlex.quote, command))


def about(call, text):
    """What a call is about; None where its failure is not our matter: loading
    the libraries, asking the resolver, our own log."""
    if call == "clone":
        return "process"
    if call == "write" and text.startswith("2<"):
        return None
    if call == "connect" and "TCP" not in text:
        return None
    for what, mark in ABOUT:
        if mark in text:
            return what
    return None


class Plan:
    """What a command calls: kinds has the numbers of (place, call, about)."""

    def __init__(self, case, name):
        self.case, self.name, self.kinds = case, name, {}
        trace = case.path("trace")
        prepare(case, name)
        case.must(*COMMANDS[name], env={"PH_FORK_LOG": case.path("forks")},
                  wrap=["strace", "-f", "-yy", "-o", trace, "-e",
                        "trace=" + ",".join(ERRORS)])
        self.read(trace)
        case.check_told()

    def places(self):
        with open(self.case.path("forks"), encoding="ascii") as f:
            return {pid: place for place, pid in map(str.split, f)}

    def read(self, trace):
        places, seen = self.places(), {}
        with open(trace, encoding="utf-8") as f:
            for m in filter(None, map(CALL.match, f)):
                place, call = places.get(m.group(1), ""), m.group(2)
                n = seen[place, call] = seen.get((place, call), 0) + 1
                what = about(call, m.group(3))
                if what and place in ROLES[self.name]:
                    self.kinds.setdefault((place, call, what), []).append(n)

    def sampled(self, most):
        """Which to fail, and how. Of a kind that is failed but once, one in
        the middle, and of processes that both commands have, in the watch; the
        errors of a call take turns."""
        turn = {}
        for (place, call, what), found in sorted(self.kinds.items()):
            if most == 1 and place and self.name == "process":
                continue
            some = rig.sample(found, most) if most > 1 else \
                [found[len(found) // 2]]
            for n in some:
                k = turn[call] = turn.get(call, -1) + 1
                yield place, call, what, n, ERRORS[call][k % len(ERRORS[call])]


def prepare(case, name):
    if name == "watch":
        case.deliver(*rig.MAILS)


def run_injected(case, name, what):
    """Gives exit code, words and the call that failed, if it came to that."""
    place, call, _, n, error = what
    trace = case.path("injected")
    strace = ["strace", "-yy", "-o", trace, "-e", f"trace={call}", "-e",
              f"inject={call}:error={error}:when={n}"]
    # opened as in the plan's run, so that the numbers are the same
    env = {"PH_FORK_LOG": case.path("forks")}
    if not place:
        code, said = case.run(*COMMANDS[name], wrap=strace, env=env)
    else:
        code, said = case.run(*COMMANDS[name], env={
            **env, "PH_TRACE_PLACE": place,
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
    # Our processes talk over pairs of sockets. No peer can break those, so it
    # is our own fault when they break; a wake-up that is lost harms nobody.
    if call in ("sendto", "sendmsg", "recvfrom") and "TCP" not in failed:
        return {0, 70}
    return DOCUMENTED


def try_one(tally, name, what, case):
    prepare(case, name)
    code, said, failed = run_injected(case, name, what)
    tally.count("reached" if failed else "not reached")
    if VERBOSE and not failed:
        print(f"inject: {label(name, what)}: not reached", flush=True)
    if code not in allowed(what[1], failed):
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


def label(name, what):
    place, call, of, n, error = what
    return f"{name}: {ROLES[name][place]}: {call} of {of}, no. {n}: {error}"


def add_tree(case):
    """Gives the git helper a tree to look into."""
    tree = case.path("tree")
    git = ["git", "-C", tree, "-c", "user.name=A", "-c",
           "user.email=a@b.example"]
    os.mkdir(tree)
    for command in (["init", "-q", "-b", "main"],
                    ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run(git + command, check=True)
    case.change("smtp: {", f"git: {{path: {tree}, merged: [main]}}\nsmtp: {{")


def main():
    global VERBOSE
    args = argparse.ArgumentParser()
    args.add_argument("--most", type=int, default=3)
    args.add_argument("--only", choices=COMMANDS)
    args.add_argument("--call", choices=ERRORS)
    args.add_argument("-v", dest="verbose", action="store_true")
    args.add_argument("program")
    args.add_argument("forktrace")
    args.add_argument("clockshift")
    args = args.parse_args()
    VERBOSE = args.verbose
    if not may_trace():
        print("inject: skipped: cannot trace here (not root)")
        return
    preload = [args.forktrace, args.clockshift]
    tally = Tally("inject")
    with Peers() as peers, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        def new_case():
            case = Case(peers, args.program, preload)
            add_tree(case)
            return case

        for name in [args.only] if args.only else COMMANDS:
            case = new_case()
            plan = Plan(case, name)
            case.close()
            for what in plan.sampled(args.most):
                if args.call in (None, what[1]):
                    if VERBOSE:
                        print(f"inject: {label(name, what)}", flush=True)
                    pool.submit(tally.attempt, label(name, what), new_case,
                                lambda case, name=name, what=what:
                                try_one(tally, name, what, case))
    tally.end()


main()
