#!/usr/bin/python3
"""schema_check.py SCHEMA < LINES

Holds every line of JSON on standard input against a JSON Schema. Prints what
is wrong and a closing count; exit status 1 when a line is not valid.
"""
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as f:
    validator = jsonschema.Draft202012Validator(json.load(f))
good = bad = 0
for number, line in enumerate(sys.stdin.buffer, 1):
    try:
        value = json.loads(line.decode("utf-8"))
    except ValueError as e:
        print(f"line {number}: not JSON: {e}")
        bad += 1
        continue
    errors = list(validator.iter_errors(value))
    for e in errors[:3]:
        where = "/".join(map(str, e.absolute_path))
        print(f"line {number}: {value.get('file')}: {where}: {e.message[:200]}")
    if errors:
        bad += 1
    else:
        good += 1
print(f"schema: {good} passed, {bad} failed")
sys.exit(1 if bad or not good else 0)
