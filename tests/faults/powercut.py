#!/usr/bin/python3
"""powercut.py PERFHERALD MAIL... - what a power cut may take, and what not.

Runs `perfherald process MAIL` for each mail under strace, which logs every
write, truncation, removal and sync of the state's files. Then plays the log
back to many points in time. On the disk is then what had been synced: a file's
bytes by a sync of the file, its name and its removal by one of the folder. Of
what came after, any part may be there: a file's writes down to sectors of 512
bytes, a name's changes up to any of them. Each such disk is opened with
SQLite: it must be whole, and every mail whose notice had been logged as sent by
then must be in it, with that notice recorded as sent. Prints how many cuts were
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


def path_of(text):
    quoted = re.findall(r'"((?:\\x[0-9a-f]{2})*)"', text)
    if quoted:
        return unescape(quoted[-1]).decode()
    file = FILE.match(text)
    if not file:
        return None
    name = file.group(1)
    return unescape(name).decode() if name.startswith("\\x") else name


def events(log, state):
    """(what, file, ...) of everything that touches the state's files, and
    ("told",) where a notice is logged as sent."""
    names = {state, state + "-wal", state + "-journal"}
    folder = os.path.dirname(state)
    for line in lines(log):
        call = CALL.match(line)
        if not call or int(call.group(3)) < 0:
            continue
        name, args, result = call.group(1), call.group(2), int(call.group(3))
        if name in ("unlink", "unlinkat"):
            if path_of(args) in names:
                yield ("unlink", path_of(args))
            continue
        if name == "write":
            if b" is sent" in unescape(re.search(r'"(.*)"', args).group(1)):
                yield ("told",)
            continue
        path = path_of(args.split(",")[0])
        if path == folder and name in ("fsync", "fdatasync"):
            yield ("sync folder", folder)
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


class Inode:
    """A file's bytes: those on the disk, and what is still on the way."""

    def __init__(self):
        self.content, self.loose = bytearray(), []

    def apply(self, event):
        if event[0] == "truncate":
            del self.content[event[2]:]
            self.content.extend(bytes(event[2] - len(self.content)))
            return
        end = event[2] + len(event[3])
        if len(self.content) < end:
            self.content.extend(bytes(end - len(self.content)))
        self.content[event[2]:end] = event[3]

    def sync(self):
        for event in self.loose:
            self.apply(event)
        self.loose = []


class Disk:
    """names: of each file, what its name has stood for since the folder was
    last synced (None: no such file); the first of these is on the disk."""

    def __init__(self):
        self.names = {}

    def play(self, event):
        what, path = event[0], event[1]
        if what == "sync folder":
            for entries in self.names.values():
                del entries[:-1]
            return
        entries = self.names.setdefault(path, [None])
        if what == "unlink":
            entries.append(None)
            return
        if entries[-1] is None:
            entries.append(Inode())
        if what == "sync":
            entries[-1].sync()
        else:
            entries[-1].loose.append(event)

    def cut(self, rng):
        """The files that are left, by name."""
        left = {}
        for path, entries in self.names.items():
            inode = rng.choice(entries)
            if inode is None:
                continue
            for event in inode.loose:
                for part in torn(event, rng):
                    inode.apply(part)
            left[path] = inode.content
        return left


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
    """The files that a cut after event number `cut` may leave."""
    disk = Disk()
    for event in log[:cut]:
        disk.play(event)
    return disk.cut(rng)


def record(program, mails, folder):
    """The events of all runs, and after which of them each notice was sent."""
    state = os.path.join(folder, "state.db")
    config = os.path.join(folder, "perfherald.yaml")
    with open(config, "w", encoding="utf-8") as f:
        f.write(f"""\
state: {state}
send: true
trust: {{proof: [none]}}
channels:
  out: {{type: file, path: {folder}/out}}
routes:
  - match: {{any: [{{verdict: regression}}, {{verdict: improvement}}]}}
    to: [out]
""")
    log, safe = [], []
    for n, mail in enumerate(mails, 1):
        trace = os.path.join(folder, "trace")
        subprocess.run(
            ["strace", "-f", "-y", "-xx", "-s", "10000000", "-o", trace, "-e",
             "trace=write,pwrite64,ftruncate,fsync,fdatasync,unlink,unlinkat",
             program, "-c", config, "process", mail],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(trace, encoding="ascii") as f:
            for event in events(f, state):
                if event[0] == "told":
                    safe.append(len(log))
                else:
                    log.append(event)
        if len(safe) < n:
            raise SystemExit(f"{mail}: no notice was sent")
    return state, log, safe


def count_kept(folder, disk, state):
    """Mails and sent notices on a disk. Raises what SQLite says of damage."""
    for path, content in disk.items():
        with open(os.path.join(folder, os.path.basename(path)), "wb") as f:
            f.write(content)
    name = os.path.join(folder, os.path.basename(state))
    if not os.path.exists(name):
        return 0, 0
    db = sqlite3.connect(name)
    try:
        ok = db.execute("PRAGMA integrity_check").fetchone()[0]
        if ok != "ok":
            raise sqlite3.DatabaseError(ok)
        if not db.execute("SELECT 1 FROM sqlite_master "
                          "WHERE name = 'message'").fetchone():
            return 0, 0
        return db.execute("SELECT (SELECT count(*) FROM message), "
                          "(SELECT count(*) FROM outbox WHERE state = 3)"
                          ).fetchone()
    finally:
        db.close()


def try_cut(folder, log, cut, rng, state, want):
    """What is wrong with what a cut leaves; nothing, when nothing is."""
    at = os.path.join(folder, "disk")
    os.mkdir(at)
    try:
        have = count_kept(at, disk_after(log, cut, rng), state)
    except sqlite3.DatabaseError as e:
        return f"damaged: {e}"
    finally:
        shutil.rmtree(at)
    if min(have) >= want:
        return None
    return f"{have[0]} mails and {have[1]} sent notices of {want}"


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
        syncs = sum(e[0].startswith("sync") for e in log)
        if syncs < len(args.mails):
            raise SystemExit(f"only {syncs} syncs for {len(args.mails)} mails")
        for n in range(args.cuts):
            # the moments after a promise are few, and matter most
            cut = rng.choice(safe) if n % 4 == 0 else \
                rng.randrange(len(log) + 1)
            wrong = try_cut(folder, log, cut, rng, state,
                            sum(s <= cut for s in safe))
            if wrong:
                lost += 1
                print(f"cut {n} after event {cut} (seed {args.seed}): {wrong}")
        print(f"powercut: {args.cuts} cuts over {len(log)} events of "
              f"{len(args.mails)} mails, {syncs} syncs: {lost} lost something")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if lost else 0)


main()
