#!/usr/bin/python3
"""clock.py PERFHERALD CLOCKSHIFT.so - the wall clock jumps by a day.

A running watch whose clock is set forth or back, with notices waiting for a
retry, in a digest, or yet to come. Nothing may be lost, told twice, or wait
for a day because a clock was wrong for an hour.
"""
import concurrent.futures
import sys
import time

import rig
from proxy import Proxy
from rig import Case, Peers, Tally, Wrong

MINUTE, HOUR, DAY = 60, 3600, 86400
REGRESSION, ANOTHER, IMPROVEMENT = rig.MAILS
FIRST = {"team": 1, "chat": 1, "book": 1}


def idle(case):
    case.start_watch()
    case.await_log("waiting for mail")


def finish(case, told=None):
    """All have come, soon, and no more than these."""
    want = rig.TOLD if told is None else told
    case.await_true(
        f"notices {want}",
        lambda: len(case.mails()) >= want["team"] and
        len(case.posts()) >= want["chat"] and
        len(case.book()) >= want["book"])
    case.end_watch()
    case.check_told(want)


def jump_with_retry(case, seconds):
    """The first post breaks off; before its retry the clock jumps."""
    case.proxy.offset = 0
    idle(case)
    case.deliver(REGRESSION)
    case.await_log("to chat: ")
    case.shift_clock(seconds)
    case.await_log("to chat is sent")
    finish(case, FIRST)


def back_with_retry(case):
    jump_with_retry(case, -DAY)


def forth_with_retry(case):
    jump_with_retry(case, DAY)


def there_and_back(case):
    """Mails come before, while and after the clock is a day ahead."""
    idle(case)
    for shift, mail, posts in ((0, REGRESSION, 1), (DAY, ANOTHER, 2),
                               (0, IMPROVEMENT, 3)):
        case.shift_clock(shift)
        case.deliver(mail)
        case.await_true(f"{posts} posts", lambda: len(case.posts()) == posts)
    finish(case)


def back_and_there(case):
    idle(case)
    for shift, mail, posts in ((0, REGRESSION, 1), (-DAY, ANOTHER, 2),
                               (0, IMPROVEMENT, 3)):
        case.shift_clock(shift)
        case.deliver(mail)
        case.await_true(f"{posts} posts", lambda: len(case.posts()) == posts)
    finish(case)


def started_ahead(case):
    """A mailbox is first opened by a clock that is a day ahead."""
    case.change("    tell_since: 2020-01-01\n", "")
    case.shift_clock(DAY)
    idle(case)
    case.shift_clock(0)
    case.end_watch()
    idle(case)
    case.deliver(*rig.MAILS)
    finish(case)


def daily_digest(case):
    """A digest that came early, and the next of them."""
    case.change("book.jsonl}", "book.jsonl, digest: daily 00:00}")
    idle(case)
    for n, mail in enumerate((REGRESSION, ANOTHER), 1):
        case.deliver(mail)
        case.await_true("post", lambda: len(case.posts()) == n)
        case.shift_clock(DAY)
        case.await_true(f"digest {n}", lambda: len(case.book()) == n)
        case.shift_clock(0)
        case.await_log("the clock was set back", times=n)
    finish(case, {"team": 2, "chat": 2, "book": 2})


def minute_of(seconds):
    return time.strftime("%H:%M", time.gmtime(seconds))


def hours_of_another_day(case):
    """A notice waits for its channel's hours, and that wait is mended so that
    it ends before they begin."""
    start = time.time()
    opens = start + HOUR
    case.change("book.jsonl}", "book.jsonl, hours: "
                f"{minute_of(opens)}-{minute_of(opens + 2 * HOUR)}}}")
    case.shift_clock(DAY)
    idle(case)
    case.deliver(REGRESSION)
    case.await_true("post", lambda: len(case.posts()) == 1)
    case.shift_clock(-HOUR // 2)
    case.await_log("the clock was set back")
    case.shift_clock(HOUR // 2 + MINUTE)
    case.await_true("look at the hours", lambda: case.query(
        "SELECT 1 FROM outbox WHERE reason = 'waits for the channel''s hours'"))
    if case.book():
        raise Wrong("told outside of the channel's hours")
    case.shift_clock(HOUR + MINUTE)
    finish(case, FIRST)


TRIALS = {
    "a day back before a retry": back_with_retry,
    "a day forth before a retry": forth_with_retry,
    "a day forth and back": there_and_back,
    "a day back and forth": back_and_there,
    "first opened a day ahead": started_ahead,
    "a digest a day early": daily_digest,
    "hours of another day": hours_of_another_day,
}


def new_case(peers, program, clockshift):
    proxy = Proxy(peers.http.port, "cut", "down", 1 << 40)
    case = Case(peers, program, [clockshift], {"http": proxy.port})
    case.proxy = proxy
    case.imap().logout()    # makes the mailbox
    return case


def main():
    program, clockshift = sys.argv[1:]
    tally = Tally("clock")
    with Peers() as peers, \
            concurrent.futures.ThreadPoolExecutor(6) as pool:
        for name, act in TRIALS.items():
            pool.submit(tally.attempt, name,
                        lambda: new_case(peers, program, clockshift), act)
    tally.end()


main()
