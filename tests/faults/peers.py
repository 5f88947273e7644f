#!/usr/bin/python3
"""peers.py PERFHERALD CLOCKSHIFT.so - what comes between bot and peers.

Puts a proxy between the program and its mailbox (TLS and plain), its mail
server or its chat, and lets it cut, reset, stall, trickle or flip a byte at
offsets over the whole conversation, in both directions. For each, `watch
--once` must end by itself within the deadline, with a documented exit code,
and leave a state that is whole; two hours later it must give 0, and then all
notices have come: once, or again with the same bytes where the state says so.
A byte that was flipped in plain text may change what a mail says; there only
the ends of the runs, the state and the kept notices are looked at.

The program is one built with -DPH_HASTE, which waits for peers that much
shorter.

  --most N   offsets of a conversation, direction and fault (default 2)
  --only X   imaps, imap, smtp or http
"""
import argparse
import concurrent.futures
import time

import rig
from proxy import DIRECTIONS, FAULTS, Proxy
from rig import Case, Peers, Tally, Wrong

DOCUMENTED = {0, 69, 74, 75}
# The longest that a peer may hold the program up: its longest deadline
# divided by the haste it was built with, and as much again as a slow machine
# may take.
DEADLINE = 40
NEVER = 1 << 40


def server_port(peers, protocol):
    return {"imaps": peers.imap_port, "imap": int(peers.imap["IMAP_PORT"]),
            "smtp": peers.smtp.port, "http": peers.http.port}[protocol]


def new_case(peers, args, protocol, fault, direction, offset):
    proxy = Proxy(server_port(peers, protocol), fault, direction, offset)
    ports = {"imap" if protocol == "imaps" else protocol: proxy.port}
    case = Case(peers, args.program, [args.clockshift], ports)
    case.proxy = proxy
    if protocol == "imap":
        case.change("imaps://", "imap://")
        case.change("poll: 1s", "poll: 1s\n    insecure: true")
    case.deliver(*rig.MAILS)
    return case


def length(peers, args, protocol, direction):
    """How many bytes pass in a conversation without a fault."""
    case = new_case(peers, args, protocol, "cut", direction, NEVER)
    try:
        case.must("watch", "--once")
        case.check_told()
        return case.proxy.connections[0].passed[direction]
    finally:
        case.proxy.close()
        case.close()


def try_one(tally, case):
    start = time.monotonic()
    code, said = case.run("watch", "--once")
    took = time.monotonic() - start
    tally.count("hurt" if case.proxy.hurt.is_set() else "not hurt")
    if code not in DOCUMENTED:
        raise Wrong(f"exit {code}: {said[-600:]}")
    if code and not said.strip():
        raise Wrong(f"exit {code} without a word")
    if took > DEADLINE:
        raise Wrong(f"held up for {took:.0f} s: {said[-600:]}")
    case.check_state()
    case.shift_clock(2 * rig.HOUR)
    case.must("watch", "--once")
    if case.proxy.fault == "flip" and case.protocol != "imaps":
        case.check_state()
    else:
        tally.count("maybe doubled", case.check_told())


def attempt(tally, peers, args, what):
    protocol, direction, fault, offset = what

    def start():
        case = new_case(peers, args, protocol, fault, direction, offset)
        case.protocol = protocol
        return case

    def act(case):
        try:
            try_one(tally, case)
        finally:
            case.proxy.close()

    tally.attempt(f"{protocol}: {fault} at byte {offset} {direction}", start,
                  act)


def plan(peers, args):
    for protocol in [args.only] if args.only else ("imaps", "imap", "smtp",
                                                   "http"):
        for direction in DIRECTIONS:
            n = length(peers, args, protocol, direction)
            for i, fault in enumerate(FAULTS):
                # each fault at other offsets than the others
                for k in range(args.most):
                    at = (k * len(FAULTS) + i) * n // (args.most * len(FAULTS))
                    yield protocol, direction, fault, at


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--most", type=int, default=2)
    args.add_argument("--only", choices=("imaps", "imap", "smtp", "http"))
    args.add_argument("program")
    args.add_argument("clockshift")
    args = args.parse_args()
    tally = Tally("peers")
    with Peers() as peers, \
            concurrent.futures.ThreadPoolExecutor(6) as pool:
        for what in list(plan(peers, args)):
            pool.submit(attempt, tally, peers, args, what)
    tally.end()


main()
