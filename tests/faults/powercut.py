#!/usr/bin/python3
"""powercut.py PERFHERALD MAIL... - what a power cut may take, and what not.

Runs `perfherald process MAIL` for each mail under strace, which logs every
write, truncation and sync of the state's files. Then plays the log back to
many points in time: what was synced before such a point is on the disk; of
what was written after the last sync, any part may be, down to sectors of 512
bytes. Each such disk is opened with SQLite: it must be whole, and every mail
whose `process` had ended by then must be in it. Prints how many cuts were
tried; exit status 1 when one lost something.

  --cuts N   points in time (default 300)
  --seed N   of the random choices (default 1), printed with a failure
"""
import argparse
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

SECTOR = 512
CALL = re.compile(r"^\d+\s+(\w+)\((.*)\)\s+= (-?\d+)")
FILE = re.compile(r"^\d+<([^>]*)>")


def unescape(text):
    return bytes.fromhex(text.replace("\\x", ""))


def lines(log):
    """Whole lines of a strace log: unfinished calls joined with their end."""
    pending = {}
    for line in log:
        pid = line.split(None, 1)[0]
        if line.rstrip().endswith("<unfinished ...>"):
            pending[pid] = line[:line.rindex(" <unfinished")].rstrip()
        elif "resumed>" in line and pid in pending:
            yield pending.pop(pid) + line[line.index("resumed>") + 8:]
        else:
            yield line


def events(log, state):
    """(what, file, ...) of everything that touches the state's files."""
    names = {state, state + "-wal", state + "-journal"}
    for line in lines(log):
        call = CALL.match(line)
        if not call or int(call.group(3)) < 0:
            continue
        name, args, result = call.group(1), call.group(2), int(call.group(3))
        if name in ("unlink", "unlinkat"):
            quoted = re.findall(r'"((?:\\x[0-9a-f]{2})*)"', args)
            path = unescape(quoted[-1]).decode()
            if path in names:
                yield ("unlink", path)
            continue
        file = FILE.match(args)
        path = unescape(file.group(1)).decode() if file and \
            file.group(1).startswith("\\x") else file and file.group(1)
        if path not in names:
            continue
        if name == "pwrite64":
            data, offset = re.match(
                r'.*?"((?:\\x[0-9a-f]{2})*)", \d+, (\d+)$', args).groups()
            yield ("write", path, int(offset), unescape(data)[:result])
        elif name == "ftruncate":
            yield ("truncate", path, int(args.rsplit(", ", 1)[1]))
        elif name in ("fsync", "fdatasync"):
            yield ("sync", path)


def apply(disk, event):
    what, path = event[0], event[1]
    if what == "unlink":
        disk.pop(path, None)
        return
    content = disk.setdefault(path, bytearray())
    if what == "write":
        end = event[2] + len(event[3])
        if len(content) < end:
            content.extend(bytes(end - len(content)))
        content[event[2]:end] = event[3]
    elif what == "truncate":
        del content[event[2]:]
        content.extend(bytes(event[2] - len(content)))


def torn(event, rng):
    """The sectors of a write that reached the disk."""
    if event[0] != "write":
        return [event] if rng.random() < 0.5 else []
    whole = rng.random()
    if whole < 0.4:
        return []
    if whole < 0.6:
        return [event]
    return [("write", event[1], event[2] + i, event[3][i:i + SECTOR])
            for i in range(0, len(event[3]), SECTOR) if rng.random() < 0.5]


def disk_after(log, cut, rng):
    """A disk as a cut after event number `cut` may leave it."""
    disk, loose = {}, {}
    for event in log[:cut]:
        path = event[1]
        if event[0] == "sync":
            for e in loose.pop(path, []):
                apply(disk, e)
        else:
            loose.setdefault(path, []).append(event)
    for waiting in loose.values():
        for event in waiting:
            for part in torn(event, rng):
                apply(disk, part)
    return disk


def record(program, mails, folder):
    """The events of all runs, and after which event each mail was safe."""
    state = os.path.join(folder, "state.db")
    config = os.path.join(folder, "perfherald.yaml")
    with open(config, "w", encoding="utf-8") as f:
        f.write(f"state: {state}\ntrust: {{proof: [none]}}\n")
    log, safe = [], []
    for mail in mails:
        trace = os.path.join(folder, "trace")
        subprocess.run(
            ["strace", "-f", "-y", "-xx", "-s", "10000000", "-o", trace, "-e",
             "trace=pwrite64,ftruncate,fsync,fdatasync,unlink,unlinkat",
             program, "-c", config, "process", mail],
            check=True, stdout=subprocess.DEVNULL)
        with open(trace, encoding="ascii") as f:
            log.extend(events(f, state))
        safe.append(len(log))
    return state, log, safe


def count_messages(folder, disk, state):
    for path, content in disk.items():
        with open(os.path.join(folder, os.path.basename(path)), "wb") as f:
            f.write(content)
    name = os.path.join(folder, os.path.basename(state))
    if not os.path.exists(name):
        return 0
    db = sqlite3.connect(name)
    try:
        ok = db.execute("PRAGMA integrity_check").fetchone()[0]
        if ok != "ok":
            raise SystemExit(f"damaged: {ok}")
        if not db.execute("SELECT 1 FROM sqlite_master "
                          "WHERE name = 'message'").fetchone():
            return 0
        return db.execute("SELECT count(*) FROM message").fetchone()[0]
    finally:
        db.close()


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--cuts", type=int, default=300)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("program")
    args.add_argument("mails", nargs="+")
    args = args.parse_args()
    rng = random.Random(args.seed)
    folder = tempfile.mkdtemp(prefix="perfherald-powercut-")
    lost = 0
    try:
        state, log, safe = record(args.program, args.mails, folder)
        syncs = sum(e[0] == "sync" for e in log)
        if syncs < len(args.mails):
            raise SystemExit(f"only {syncs} syncs for {len(args.mails)} mails")
        for n in range(args.cuts):
            cut = rng.randrange(len(log) + 1)
            disk = disk_after(log, cut, rng)
            at = os.path.join(folder, "disk")
            os.mkdir(at)
            want = sum(s <= cut for s in safe)
            have = count_messages(at, disk, state)
            if have < want:
                lost += 1
                print(f"cut {n} after event {cut} (seed {args.seed}): "
                      f"{have} messages, {want} were recorded")
            shutil.rmtree(at)
        print(f"powercut: {args.cuts} cuts over {len(log)} events of "
              f"{len(args.mails)} mails, {syncs} syncs: {lost} lost something")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if lost else 0)


main()
