#!/usr/bin/python3
"""proxy.py PORT FAULT DIRECTION OFFSET [TIMES]

A TCP proxy on loopback that hurts what passes through it. Prints the port it
listens on, then forwards every connection to 127.0.0.1:PORT. When byte OFFSET
of a connection passes in DIRECTION ("down": from the server, "up": to it), the
fault strikes:

  cut      both sides are closed
  reset    the client's side is reset (RST)
  stall    nothing passes any more, the connection stays open
  trickle  from here on a byte each 20 ms
  flip     the byte's lowest bit is turned, all else passes

Only the first TIMES connections are hurt (default 1); later ones pass, so that
recovery can be seen. Ends when standard input closes.
"""
import os
import selectors
import socket
import struct
import sys
import threading
import time

port, fault, direction, offset = (int(sys.argv[1]), sys.argv[2], sys.argv[3],
                                  int(sys.argv[4]))
times = int(sys.argv[5]) if len(sys.argv) > 5 else 1
assert fault in ("cut", "reset", "stall", "trickle", "flip"), fault
assert direction in ("down", "up"), direction


class Hurt:
    """The fault of one connection: applied once, at its byte."""

    def __init__(self, client, server):
        self.client, self.server = client, server
        self.passed = 0
        self.slow = False

    def send(self, to, data, way):
        """Forwards data, hurting it; False when the connection is over."""
        if way != direction:
            to.sendall(data)
            return True
        at = offset - self.passed
        self.passed += len(data)
        if self.slow:
            return self.trickle(to, data)
        if not 0 <= at < len(data):
            to.sendall(data)
            return True
        to.sendall(data[:at])
        print("hurt", flush=True)
        if fault == "flip":
            to.sendall(bytes([data[at] ^ 1]) + data[at + 1:])
            return True
        if fault == "trickle":
            self.slow = True
            return self.trickle(to, data[at:])
        if fault == "stall":
            time.sleep(3600)
        if fault == "reset":
            self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        return False

    @staticmethod
    def trickle(to, data):
        for i in range(len(data)):
            to.sendall(data[i:i + 1])
            time.sleep(0.02)
        return True


def carry(client, hurt_it):
    try:
        server = socket.create_connection(("127.0.0.1", port), timeout=10)
    except OSError:
        client.close()
        return
    server.settimeout(None)
    hurt = Hurt(client, server)
    ways = {client: (server, "up"), server: (client, "down")}
    selector = selectors.DefaultSelector()
    for s in ways:
        selector.register(s, selectors.EVENT_READ)
    going = True
    try:
        while going:
            for key, _ in selector.select():
                to, way = ways[key.fileobj]
                data = key.fileobj.recv(65536)
                if not data:
                    going = False
                elif hurt_it:
                    going = hurt.send(to, data, way) and going
                else:
                    to.sendall(data)
    except OSError:
        pass
    finally:
        client.close()
        server.close()


def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    print(listener.getsockname()[1], flush=True)

    def end_with_parent():
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=end_with_parent, daemon=True).start()
    n = 0
    while True:
        client, _ = listener.accept()
        n += 1
        threading.Thread(target=carry, args=(client, n <= times),
                         daemon=True).start()


main()
