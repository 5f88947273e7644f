#!/usr/bin/python3
"""mailbox.py PERFHERALD CLOCKSHIFT.so - mailboxes that change under the reader.

A running watch and a real Dovecot whose mailbox gets new UIDs, is deleted and
made again, loses messages while they are fetched, or goes down and comes back.
The watch must read on by itself, tell what is new, and tell nothing twice.
"""
import concurrent.futures
import os
import re
import sys

import rig
from proxy import Proxy
from rig import Case, Peers, Tally, Wrong

REGRESSION, ANOTHER, IMPROVEMENT = rig.MAILS
ALL = rig.TOLD
FIRST_TWO = {"team": 2, "chat": 2, "book": 2}
ONLY_FIRST = {"team": 1, "chat": 1, "book": 1}


def told(case, counts):
    """Waits until so many notices have come, and no other."""
    def look():
        return (len(case.mails()), len(case.posts()), len(case.book())) == \
            tuple(counts[x] for x in ("team", "chat", "book"))
    try:
        case.await_true("notices", look)
    except Wrong as e:
        raise Wrong(f"{len(case.mails())} mails, {len(case.posts())} posts, "
                    f"{len(case.book())} lines: {e}") from None


def finish(case, counts):
    told(case, counts)
    case.end_watch()
    case.check_told(counts)


def idle(case):
    case.start_watch()
    case.await_log("waiting for mail")


def append(box, folder, *mails):
    for mail in mails:
        answer, what = box.append(folder, None, None,
                                  rig.read(mail).replace(b"\n", b"\r\n"))
        if answer != "OK":
            raise Wrong(f"append to {folder}: {what}")


# -- the trials: each gets a case, and raises Wrong --

def new_uids(case):
    """Dovecot gives the whole mailbox other UIDs and another UIDVALIDITY."""
    idle(case)
    case.deliver(REGRESSION)
    told(case, ONLY_FIRST)
    case.peers.tell_dovecot("stop", "down")
    home = os.path.join(case.peers.dir, "dovecot", "home", case.user, "mail")
    path = os.path.join(home, "dovecot-uidlist")
    text = rig.read(path).decode()
    with open(path, "w", encoding="ascii") as f:
        f.write(re.sub(r"^3 V\d+ N\d+", "3 V1234567 N900", text))
    for name in os.listdir(home):
        if name.startswith("dovecot.index"):
            os.unlink(os.path.join(home, name))
    case.peers.tell_dovecot("start", "up")
    case.await_log("has new UIDs")
    case.deliver(ANOTHER, IMPROVEMENT)
    finish(case, ALL)


def made_again(case):
    """The folder is deleted and made again, with old and new mails."""
    box = case.imap()
    box.create("lkp")
    append(box, "lkp", REGRESSION)
    idle(case)
    told(case, ONLY_FIRST)
    box.delete("lkp")
    box.create("lkp")
    append(box, "lkp", REGRESSION, ANOTHER, IMPROVEMENT)
    finish(case, ALL)


def gone_for_a_while(case):
    """The folder is away when the watch looks, and comes back later."""
    box = case.imap()
    box.create("lkp")
    append(box, "lkp", REGRESSION)
    idle(case)
    told(case, ONLY_FIRST)
    box.delete("lkp")
    case.await_log("lkp", times=1)
    case.await_log("worker work: ", times=case.log().count("worker work: ") + 1)
    box.create("lkp")
    append(box, "lkp", IMPROVEMENT, ANOTHER)
    finish(case, ALL)


def expunged(case):
    """Messages go while the fetch that asked for them is under way."""
    box = case.imap()
    # so much that the server cannot have it all on its way
    big = case.path("big.eml")
    with open(big, "wb") as f:
        f.write(rig.read(IMPROVEMENT) + b"\nand so on" * 20000)
    case.deliver(REGRESSION, *[big] * 30, ANOTHER)
    box.select("INBOX")

    def expunge():
        box.store("2:31", "+FLAGS", r"(\Deleted)")
        box.expunge()

    # TLS, LOGIN and SELECT take some 6 kB down; then the mails begin
    case.proxy.fault, case.proxy.offset = expunge, 9000
    idle(case)
    case.await_settled()
    fetched = case.query("SELECT count(*) FROM message")[0][0]
    if not case.proxy.hurt.is_set() or fetched == 32:
        raise Wrong("nothing was expunged before it was fetched")
    # of those that went, one that was fetched before is told
    finish(case, FIRST_TWO if fetched == 2 else ALL)


def restarted(case):
    """The server goes down while the watch waits, twice."""
    idle(case)
    for mail, counts in ((REGRESSION, ONLY_FIRST), (ANOTHER, FIRST_TWO)):
        case.peers.tell_dovecot("stop", "down")
        case.await_log("worker work: ",
                       times=case.log().count("worker work: ") + 1)
        case.peers.tell_dovecot("start", "up")
        case.deliver(mail)
        told(case, counts)
    case.deliver(IMPROVEMENT)
    finish(case, ALL)


def silent_idle(case):
    """The line is dead while the watch waits in IDLE."""
    case.change("poll: 1s", "poll: 1h")
    idle(case)
    case.proxy.offset = case.proxy.connections[0].passed["down"]
    case.proxy.fault = "stall"
    case.deliver(*rig.MAILS)
    # IDLE is begun anew after 9 minutes, in haste 27 s; then it shows
    case.await_log("waiting for mail", times=2, still=60)
    if not case.proxy.hurt.is_set():
        raise Wrong("nothing was held back")
    finish(case, ALL)


# Those that take the server down have it for themselves.
ALONE = {
    "new UIDs": (new_uids, {}),
    "server restarted": (restarted, {}),
}
TOGETHER = {
    "made again": (made_again, {"folder": "lkp"}),
    "gone for a while": (gone_for_a_while, {"folder": "lkp"}),
    "expunged while fetching": (expunged, {"proxied": True}),
    "dead line in IDLE": (silent_idle, {"proxied": True}),
}


def new_case(peers, program, clockshift, folder="INBOX", proxied=False):
    proxy = Proxy(peers.imap_port, "cut", "down", 1 << 40, narrow=True) \
        if proxied else None
    case = Case(peers, program, [clockshift],
                {"imap": proxy.port} if proxied else None, folder)
    case.proxy = proxy
    case.imap().logout()    # makes the mailbox
    return case


def main():
    program, clockshift = sys.argv[1:]
    tally = Tally("mailbox")
    with Peers() as peers:
        def attempt(name, act, how):
            tally.attempt(name, lambda: new_case(peers, program, clockshift,
                                                 **how), act)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for name, (act, how) in TOGETHER.items():
                pool.submit(attempt, name, act, how)
        for name, (act, how) in ALONE.items():
            attempt(name, act, how)
    tally.end()


main()
