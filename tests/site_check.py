#!/usr/bin/python3
"""site_check.py DIR

Holds a site to what its pages promise: each is well-formed and says so, loads
nothing but the style sheet, and every link within the site leads to a file;
feeds are Atom by RFC 4287. Prints what is wrong and a closing count; exit
status 1 when anything is, or when there is no page.
"""
import os
import re
import sys
import urllib.parse
import xml.etree.ElementTree as ET

ATOM = "{http://www.w3.org/2005/Atom}"
SVG = "{http://www.w3.org/2000/svg}"
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
POLICY = ("default-src 'none'; style-src 'self'; base-uri 'none'; "
          "form-action 'none'")
PLAIN = {
    "html", "head", "meta", "title", "link", "body", "header", "nav", "ul",
    "li", "a", "main", "h1", "h2", "p", "dl", "dt", "dd", "div", "table",
    "thead", "tbody", "tr", "th", "td", "span", "code", "pre", "br", "time",
    "footer"}
DRAWN = {SVG + name for name in (
    "svg", "title", "desc", "line", "text", "a", "path", "circle", "rect")}
ALLOWED = {
    "lang", "charset", "http-equiv", "content", "name", "rel", "href", "type",
    "title", "class", "id", "datetime", "scope", "aria-label",
    "aria-labelledby", "role", "viewBox", "x", "y", "x1", "x2", "y1", "y2",
    "cx", "cy", "r", "d", "width", "height", "text-anchor"}

top = os.path.realpath(sys.argv[1])
wrong = []


def say(path, text):
    wrong.append(f"{os.path.relpath(path, top)}: {text}")


def check_target(path, href):
    """A link within the site must lead to a file of it."""
    parts = urllib.parse.urlsplit(href)
    if parts.scheme in ("http", "https"):
        return
    if parts.scheme or parts.netloc:
        say(path, f"link to {href}")
        return
    if not parts.path:
        return
    target = os.path.normpath(os.path.join(os.path.dirname(path),
                                           urllib.parse.unquote(parts.path)))
    if not target.startswith(top + os.sep) or not os.path.isfile(target):
        say(path, f"{href} leads nowhere")


def check_page(path, root, text):
    if not text.startswith("<!DOCTYPE html>\n"):
        say(path, "no doctype")
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    if len(ids) != len(set(ids)):
        say(path, "an id twice")
    for e in root.iter():
        if e.tag not in PLAIN | DRAWN:
            say(path, f"<{e.tag}>")
        for name in e.attrib:
            if name not in ALLOWED:
                say(path, f"<{e.tag} {name}>")
        href = e.get("href") or ""
        check_target(path, href)
        if e.get("rel") == "stylesheet" and "//" in href:
            say(path, f"style sheet from {href}")
        for name in (e.get("aria-labelledby") or "").split():
            if name not in ids:
                say(path, f"aria-labelledby {name}")
        if href.startswith("#") and href[1:] not in ids:
            say(path, f"{href} leads nowhere")
    policies = [m.get("content") for m in root.iter("meta")
                if m.get("http-equiv") == "Content-Security-Policy"]
    if policies != [POLICY]:
        say(path, f"policy {policies}")
    if len(list(root.iter("h1"))) != 1 or len(list(root.iter("main"))) != 1:
        say(path, "not one heading in one main part")
    for svg in root.iter(SVG + "svg"):
        if svg.find(SVG + "title") is None or svg.find(SVG + "desc") is None:
            say(path, "a drawing without title or description")


def one(path, parent, name):
    found = parent.findall(ATOM + name)
    if len(found) != 1:
        say(path, f"{len(found)} of {name}")
        return None
    return found[0]


def check_atom(path, element):
    for name in ("id", "title", "updated"):
        child = one(path, element, name)
        if child is None or not (child.text or "").strip():
            say(path, f"no {name}")
        elif name == "updated" and not DATE.fullmatch(child.text):
            say(path, f"updated {child.text}")
    for link in element.findall(ATOM + "link"):
        check_target(path, link.get("href"))
    if not element.findall(ATOM + "link"):
        say(path, "no link")


def check_feed(path, root):
    if root.tag != ATOM + "feed":
        say(path, f"{root.tag}")
        return
    check_atom(path, root)
    author = one(path, root, "author")
    if author is None or author.find(ATOM + "name") is None:
        say(path, "no author")
    if [l.get("rel") for l in root.findall(ATOM + "link")].count("self") != 1:
        say(path, "not one link to itself")
    entries = root.findall(ATOM + "entry")
    ids = [e.findtext(ATOM + "id") for e in entries]
    if len(ids) != len(set(ids)):
        say(path, "an entry twice")
    for entry in entries:
        check_atom(path, entry)


pages = feeds = 0
for folder, _, files in os.walk(top):
    for name in files:
        path = os.path.join(folder, name)
        if name.endswith((".html", ".xml")):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            try:
                root = ET.fromstring(text)
            except ET.ParseError as e:
                say(path, str(e))
                continue
            if name.endswith(".html"):
                check_page(path, root, text)
                pages += 1
            else:
                check_feed(path, root)
                feeds += 1
for line in wrong[:20]:
    print(line)
print(f"site: {pages} pages, {feeds} feeds, {len(wrong)} mistakes")
sys.exit(1 if wrong or not pages or not feeds else 0)
