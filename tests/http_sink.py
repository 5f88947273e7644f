#!/usr/bin/python3
"""http_sink.py DIR [--tls HOST] - a stand-in HTTP(S) server for tests.

Listens on 127.0.0.1 at a free port and prints "ready PORT". Request number N
(from 1) is kept as DIR/N.head (request line, header fields, and which
connection it came on) and DIR/N.body before it is answered. Ends when its
standard input does.

Line N of DIR/script says how request N is answered; without that line it gets
200 "ok". A line is one JSON object:
    status   200
    headers  {"Retry-After": "3"}
    body     "text", or any JSON value, which is sent as application/json
    drop     "before" the request's body is read (reset), or "after" it
    raw      bytes in place of an answer, as text
    stall    true: never answer
    endless  true: a body without end
    length   Content-Length to claim instead of the true one

--tls makes a certificate for HOST (DIR/ca.pem) and speaks TLS.
"""
import http.server
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading

lock = threading.Lock()
count = 0
connections = 0


class Sink(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        global connections
        super().setup()
        with lock:
            connections += 1
            self.number = connections

    def log_message(self, *_):
        pass

    def script(self, n):
        try:
            with open(os.path.join(self.server.dir, "script")) as f:
                lines = f.read().splitlines()
        except FileNotFoundError:
            return {}
        return json.loads(lines[n - 1]) if n <= len(lines) and \
            lines[n - 1].strip() else {}

    def take(self):
        global count
        with lock:
            count += 1
            n = count
        answer = self.script(n)
        if answer.get("drop") == "before":
            self.keep(n, "head", b"dropped before its body was read\n")
            self.reset()
            return None, None
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.keep(n, "body", body)
        head = self.requestline + "\n" + str(self.headers) + \
            "X-Connection: %d\n" % self.number
        self.keep(n, "head", head.encode("utf-8", "surrogateescape"))
        return n, answer

    def keep(self, n, what, data):
        path = os.path.join(self.server.dir, "%d.%s" % (n, what))
        with open(path + ".new", "wb") as f:
            f.write(data)
        os.rename(path + ".new", path)

    def reset(self):
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        self.connection.close()

    def reply(self):
        n, answer = self.take()
        if n is None:
            return
        if answer.get("drop") == "after":
            self.close_connection = True
            return
        if "raw" in answer:
            self.close_connection = True
            self.wfile.write(answer["raw"].encode())
            return
        if answer.get("stall"):
            self.rfile.read(1)
            return
        self.answer(answer)

    def answer(self, answer):
        body = answer.get("body", "ok")
        kind = "text/plain; charset=utf-8"
        if not isinstance(body, str):
            body = json.dumps(body)
            kind = "application/json"
        data = body.encode()
        self.send_response(answer.get("status", 200))
        headers = {"Content-Type": kind,
                   "Content-Length": str(answer.get("length", len(data)))}
        if answer.get("endless"):
            del headers["Content-Length"]
            self.close_connection = True
        headers.update(answer.get("headers", {}))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        try:
            while answer.get("endless"):
                self.wfile.write(b"x" * 4096)
        except OSError:
            pass
        if answer.get("length", 0) > len(data):
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = reply


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def certificate(folder, host):
    key, cert = os.path.join(folder, "key.pem"), os.path.join(folder, "ca.pem")
    kind = "IP" if host[0].isdigit() else "DNS"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                    "-out", cert, "-days", "2", "-subj", "/CN=" + host,
                    "-addext", "subjectAltName=%s:%s" % (kind, host)],
                   check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return cert, key


def main():
    folder = sys.argv[1]
    server = Server(("127.0.0.1", 0), Sink)
    server.dir = folder
    if len(sys.argv) == 4 and sys.argv[2] == "--tls":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(folder, sys.argv[3]))
        server.socket = context.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready %d" % server.server_address[1], flush=True)
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
