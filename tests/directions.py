#!/usr/bin/python3
"""directions.py PERFHERALD DIRECTIONS.tsv

Holds config/metrics.tsv, as compiled in, against a list of the robot's own
rules: pattern TAB direction TAB ... with "robot-verdict" in column 7. For each
rule names are made that match it, and some that just miss it; which way is
better must come out as the first matching rule says.
"""
import csv
import itertools
import json
import re
import subprocess
import sys
import tempfile

FILLS = ["x", "a.b", "x_y.z-1", "ops", "x.y_max_ms"]


def parts(pattern):
    """The pattern as a list of lists of alternatives."""
    out, i = [], 0
    while i < len(pattern):
        c = pattern[i]
        if c == "\\":
            out.append([pattern[i + 1]])
            i += 2
        elif pattern.startswith(".+", i):
            out.append(FILLS)
            i += 2
        elif pattern.startswith(".*", i):
            out.append(FILLS + [""])
            i += 2
        elif c == ".":
            out.append([".", "_"])
            i += 1
        elif c == "(":
            end = pattern.index(")", i)
            out.append(pattern[i + 1:end].split("|"))
            i = end + 1
        else:
            out.append([c])
            i += 1
    return out


def names(pattern):
    made = {"".join(p) for p in itertools.product(*parts(pattern))}
    whole = sorted(made)
    near = [whole[0] + "x", "x" + whole[0], whole[0][:-1],
            re.sub(r"\.[^.]*\.", "..", whole[0], count=1)]
    return whole + near


def expected(rules, name):
    for pattern, direction in rules:
        if pattern.fullmatch(name):
            return {"up": "higher", "down": "lower"}[direction]
    return None


def ask(program, wanted):
    with tempfile.TemporaryDirectory() as folder:
        for i, name in enumerate(wanted):
            with open(f"{folder}/{i}", "w", encoding="utf-8") as f:
                f.write(f"[a] 0123456789: {name} 1.0% regression\n\n"
                        f"kernel test robot noticed a 1.0% regression of "
                        f"{name} on:\n")
        out = subprocess.run([program, "parse", "--format", "json", folder],
                             capture_output=True, check=True).stdout
    heads = [json.loads(line)["headline"] for line in out.splitlines()]
    return {h["metric"]: h.get("better") for h in heads}


def main():
    with open(sys.argv[2], encoding="utf-8") as f:
        rows = [r for r in csv.reader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
                if len(r) > 6 and r[6] == "robot-verdict"]
    rules = [(re.compile(r[0]), r[1]) for r in rows]
    wanted = sorted({n for r in rows for n in names(r[0])
                     if n and " " not in n})
    got = ask(sys.argv[1], wanted)
    bad = 0
    for name in wanted:
        want = expected(rules, name)
        if got.get(name, "nothing") != want:
            print(f"{name}: {got.get(name, 'nothing')}, want {want}")
            bad += 1
    print(f"directions: {len(rules)} rules, {len(wanted) - bad} names agree, "
          f"{bad} do not")
    sys.exit(1 if bad else 0)


main()
