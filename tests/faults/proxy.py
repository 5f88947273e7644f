"""proxy - a TCP proxy on loopback that hurts what passes through it.

Proxy(PORT, FAULT, DIRECTION, OFFSET) forwards every connection to
127.0.0.1:PORT. When byte OFFSET of its first connection passes in DIRECTION
("down": from the server, "up": to it), the fault strikes:

  cut      both sides are closed
  reset    the client's side is reset (RST)
  stall    nothing passes any more, the connection stays open
  trickle  from here on a byte each 20 ms
  flip     the byte's lowest bit is turned, all else passes

or, where FAULT is a function, it is called, and all passes. Later connections
are left alone, so that recovery can be seen.

The server is never far ahead of what has passed where the proxy is narrow.
"""
import selectors
import socket
import struct
import threading
import time

FAULTS = ("cut", "reset", "stall", "trickle", "flip")
DIRECTIONS = ("down", "up")


class Connection:
    """What passes, and the fault, applied once, at its byte."""

    def __init__(self, proxy, client, server, hurt_it):
        self.proxy, self.client, self.server = proxy, client, server
        self.hurt_it, self.stalled, self.slow = hurt_it, False, False
        self.passed = {"down": 0, "up": 0}

    def carry(self):
        ways = {self.client: (self.server, "up"),
                self.server: (self.client, "down")}
        selector = selectors.DefaultSelector()
        for s in ways:
            selector.register(s, selectors.EVENT_READ)
        going = True
        while going and not self.proxy.closed:
            for key, _ in selector.select(0.2):
                data = key.fileobj.recv(65536)
                to, way = ways[key.fileobj]
                going = bool(data) and self.forward(to, data, way) and going
        selector.close()

    def forward(self, to, data, way):
        """False when the connection is over."""
        at = self.proxy.offset - self.passed[way]
        self.passed[way] += len(data)
        if self.stalled:
            return True
        ours = self.hurt_it and way == self.proxy.direction
        if ours and 0 <= at < len(data):
            to.sendall(data[:at])
            self.proxy.hurt.set()
            return self.strike(to, data[at:])
        if ours and self.slow:
            return self.trickle(to, data)
        to.sendall(data)
        return True

    def strike(self, to, data):
        fault = self.proxy.fault
        if fault == "stall":
            self.stalled = True
        elif fault == "trickle":
            self.slow = True
            return self.trickle(to, data)
        elif fault == "flip":
            to.sendall(bytes([data[0] ^ 1]) + data[1:])
        elif fault == "reset":
            self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
            return False
        elif fault == "cut":
            return False
        else:
            fault()
            to.sendall(data)
        return True

    def trickle(self, to, data):
        for i in range(len(data)):
            if self.proxy.closed:
                return False
            to.sendall(data[i:i + 1])
            time.sleep(0.02)
        return True


class Proxy:
    def __init__(self, port, fault, direction, offset, narrow=False):
        assert callable(fault) or fault in FAULTS, fault
        assert direction in DIRECTIONS, direction
        self.server_port, self.narrow = port, narrow
        self.fault, self.direction, self.offset = fault, direction, offset
        self.hurt, self.closed = threading.Event(), False
        self.connections = []
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client,),
                             daemon=True).start()

    def carry(self, client):
        server = socket.socket()
        if self.narrow:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        try:
            server.connect(("127.0.0.1", self.server_port))
        except OSError:
            client.close()
            server.close()
            return
        c = Connection(self, client, server, not self.connections)
        self.connections.append(c)
        try:
            c.carry()
        except OSError:
            pass
        finally:
            client.close()
            server.close()

    def close(self):
        self.closed = True
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
