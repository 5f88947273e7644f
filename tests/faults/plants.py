#!/usr/bin/python3
"""plants.py [PLANT...] - shows that kill.py finds what it is there to find.

Plants bugs, one after another, into a copy of the tree, builds it and runs
kill.py over it, which must fail each time. Exit status 1 when one was missed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))

# name: (file, what stands there, what is planted, at which steps it shows)
PLANTS = {
    # The cursor moves in a transaction of its own, before the rows.
    "commit-too-early": (
        "bot/batch.c",
        """	s = store_begin(b->store, err);
	if (!s)
		s = store_end(b->store, write_rows(b, cursor, err), err);
""",
        """	size_t n = b->n;
	b->n = 0;
	s = store_begin(b->store, err);
	if (!s)
		s = store_end(b->store, write_rows(b, cursor, err), err);
	b->n = n;
	if (!s)
		s = store_begin(b->store, err);
	if (!s)
		s = store_end(b->store, write_rows(b, 0, err), err);
""",
        "committed"),
    # What a mailbox has been read up to is not kept.
    "lost-cursor": (
        "bot/batch.c",
        "	if (!s && cursor)\n",
        "	if (!s && cursor && !b->n)\n",
        "commit"),
    # A notice that is tried again is another mail to its reader.
    "retry-without-key": (
        "bot/lane.c",
        "	if (!s && !l->row.rendered)\n		s = render(l, err);\n",
        "	if (l->row.maybe_dup) {\n"
        "		char *key = (char *)l->row.key.ptr;\n"
        "		key[0] = key[0] == '0' ? '1' : '0';\n"
        "	}\n"
        "	if (!s)\n		s = render(l, err);\n",
        "answered"),
    # Nobody hears that the sending process died.
    "swallowed-error": (
        "bot/lane.c",
        "	return record_failure(l, DELIVERY_MAYBE, &gone, err);\n",
        "	return record_failure(l, DELIVERY_SENT, &gone, err);\n",
        "to be sent"),
    # What a dead courier had in hand stays in its hand.
    "stale-claim": (
        "bot/courier.c",
        "	if (!s)\n		s = revive(c, err);\n",
        "	(void)revive;\n",
        "given"),
}


def copy_tree(to):
    files = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, check=True,
                           capture_output=True).stdout.split(b"\0")[:-1]
    for name in map(os.fsdecode, files):
        target = os.path.join(to, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(TOP, name), target)


def build(tree):
    done = subprocess.run(["make", "-j2", "CPPFLAGS=-DPH_STEPS", "perfherald"],
                          cwd=tree, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit("plants.py: does not build:\n" + done.stderr)


def is_found(tree, name):
    file, old, new, step = PLANTS[name]
    path = os.path.join(tree, file)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text.count(old) != 1:
        sys.exit(f"plants.py: {name}: {file} has changed, plant it anew")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new))
    build(tree)
    done = subprocess.run(
        [os.path.join(tree, "tests/faults/kill.py"), "--only", step,
         "--stop", os.path.join(tree, "perfherald")],
        capture_output=True, text=True, check=False)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    line = re.search(r"^killed at .*|^kill\.py: .*", done.stdout, re.M)
    print(f"{name}: " + ("found: " + line.group() if done.returncode and line
                         else "MISSED\n" + done.stdout + done.stderr),
          flush=True)
    return bool(done.returncode and line)


def main():
    names = sys.argv[1:] or list(PLANTS)
    tree = tempfile.mkdtemp(prefix="perfherald-plants-")
    try:
        copy_tree(tree)
        build(tree)
        found = sum(is_found(tree, name) for name in names)
    finally:
        shutil.rmtree(tree)
    print(f"{found} of {len(names)} planted bugs found")
    sys.exit(found != len(names))


main()
