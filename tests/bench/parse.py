#!/usr/bin/python3
"""parse.py FOLDER COUNT

Reads the mails 0 ... COUNT-1 of FOLDER as a usual script would: the email
package in its default (compat32) form, regular expressions for headline, fields
and rows. Prints the rows found and the nanoseconds of the best of three rounds,
the reading of the files not counted.
"""
import email
import email.header
import re
import sys
import time

HEADLINE = re.compile(r"noticed an? (-?[\d.]+)% (\w+) of (\S+) (?:on|due)")
COMMIT = re.compile(r'^commit: ([0-9a-f]{40}) \("(.*)"\)$', re.M)
FIELD = re.compile(r"^(testcase|config|compiler|test machine): (.*)$", re.M)
PARAMETER = re.compile(r"^\t(\S+): (.*)$", re.M)
ARCHIVE = re.compile(r"^https://download\.01\.org/\S+", re.M)
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?"
ROW = re.compile(
    rf"^ *({NUMBER})(?: ± *(\d+)%)? +([+-][\d.]+(?:e[+-]\d+)?)(%)? +"
    rf"({NUMBER})(?: ± *(\d+)%)? +(\S+)$", re.M)


def read(raw):
    message = email.message_from_bytes(raw)
    fields = {}
    for name in ("From", "To", "Cc", "Subject", "Message-ID", "Date"):
        parts = email.header.decode_header(message.get(name, ""))
        fields[name] = "".join(
            p.decode(c or "ascii", "replace") if isinstance(p, bytes) else p
            for p, c in parts)
    text = message.get_payload(decode=True).decode(
        message.get_content_charset() or "utf-8", "replace")
    fields["headline"] = HEADLINE.search(text).groups()
    fields["commit"] = COMMIT.search(text).groups()
    fields.update(FIELD.findall(text))
    fields["parameters"] = dict(PARAMETER.findall(text))
    fields["archive"] = ARCHIVE.search(text).group()
    rows = []
    for v0, e0, change, relative, v1, e1, metric in ROW.findall(text):
        rows.append((metric, float(v0), int(e0) if e0 else None,
                     float(change), bool(relative), float(v1),
                     int(e1) if e1 else None))
    return fields, rows


def main():
    mails = []
    for i in range(int(sys.argv[2])):
        with open(f"{sys.argv[1]}/{i}", "rb") as f:
            mails.append(f.read())
    best = None
    for _ in range(3):
        start = time.perf_counter_ns()
        count = sum(len(read(raw)[1]) for raw in mails)
        spent = time.perf_counter_ns() - start
        best = spent if best is None else min(best, spent)
    print(count, best)


main()
