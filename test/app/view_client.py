# A client of `sinew view` in plain Python: HTTP, WebSocket (RFC 6455), the messages of docs/viewer.md. Everything has a time limit.
import base64
import hashlib
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import time

PATIENCE = 60  # [s] for anything


class Server:
    """`sinew view ...` on a free port; ends with the block."""

    def __init__(self, sinew, *args):
        self.process = subprocess.Popen([sinew, "view", *args, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ""
        match = re.match(r"http://127\.0\.0\.1:(\d+)/", line)
        if not match:
            self.process.kill()
            raise SystemExit("FAILED: no address was printed: %r %s" % (line, self.process.communicate()))
        self.port = int(match[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def interrupt(self, number=signal.SIGINT):
        """Exit code and standard error after a signal."""
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, err

    def memory(self):
        """[kB] that the process holds now."""
        with open("/proc/%d/status" % self.process.pid) as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def request(self, target="/", method="GET", host=None, more=""):
        """Status, headers (lower case), body."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as s:
            head = "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n" % (method, target, host or "127.0.0.1:%d" % self.port, more)
            s.sendall(head.encode())
            data = b""
            while part := s.recv(65536):
                data += part
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        return int(lines[0].split()[1]), dict(line.lower().split(": ", 1) for line in lines[1:]), body


class Refused(Exception):
    pass


class Client:
    def __init__(self, server, host=None, origin=None, target="/live", buffer=None):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", server.port))
        self.data = b""
        key = base64.b64encode(os.urandom(16)).decode()
        head = ["GET %s HTTP/1.1" % target, "Host: " + (host or "127.0.0.1:%d" % server.port), "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + key] + (["Origin: " + origin] if origin else [])
        self.socket.sendall("\r\n".join(head + ["", ""]).encode())
        while b"\r\n\r\n" not in self.data:
            self.more()
        answer, _, self.data = self.data.partition(b"\r\n\r\n")
        status = int(answer.split()[1])
        if status != 101:
            self.socket.close()
            raise Refused(status)
        accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        assert accept in answer, "the handshake's answer"
        self.layout = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def more(self):
        part = self.socket.recv(1 << 20)
        if not part:
            raise EOFError("the server closed the connection")
        self.data += part

    def take(self, count):
        while len(self.data) < count:
            self.more()
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def send_bytes(self, payload, opcode=1, final=True):
        length = len(payload)
        head = bytes([(0x80 if final else 0) | opcode])
        head += bytes([0x80 | length]) if length < 126 else struct.pack(">BH", 0xFE, length) if length < 65536 else struct.pack(">BQ", 0xFF, length)
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def send(self, what, **more):
        self.send_bytes(json.dumps({"do": what, **more}).encode())

    def receive(self):
        """The next message: ("text", dict), ("layout", dict), ("frame", dict) or ("close", code)."""
        while True:
            payload = b""
            while True:
                first, length = self.take(2)
                length &= 0x7F
                if length == 126:
                    length = struct.unpack(">H", self.take(2))[0]
                elif length == 127:
                    length = struct.unpack(">Q", self.take(8))[0]
                part = self.take(length)
                if first & 0x0F == 9:
                    self.send_bytes(part, opcode=10)
                    continue
                if first & 0x0F == 8:
                    return "close", struct.unpack(">H", part[:2])[0] if len(part) >= 2 else 0
                payload += part
                kind = first & 0x0F or kind
                if first & 0x80:
                    break
            if kind == 1:
                return "text", json.loads(payload)
            if payload[:4] == b"SNWL":
                self.layout = read_layout(payload)
                return "layout", self.layout
            return "frame", read_frame(payload, self.layout)

    def until(self, kind, test=lambda m: True):
        """The next message of this kind that passes the test."""
        end = time.time() + PATIENCE
        while time.time() < end:
            got, message = self.receive()
            if got == kind and test(message):
                return message
            if got == "close":
                raise EOFError("closed: %s" % message)
        raise SystemExit("FAILED: no such message came in time")

    def state(self, word):
        return self.until("text", lambda m: m["type"] == "state" and m["state"] == word)

    def error(self):
        return self.until("text", lambda m: m["type"] == "error")

    def frame(self, number=None):
        return self.until("frame", lambda f: number is None or abs(f["frame"] - number) < 1e-9)


def read_layout(data):
    _, version, number, length = struct.unpack_from("<4I", data)
    info = json.loads(data[16:16 + length])
    at = 16 + length
    for o in info["objects"]:
        for name, count, letter in (("corners", 3 * o["triangles"], "I"), ("source", o["drawn"], "I"), ("lines", 2 * o["segments"], "I"),
                                    ("rest", 3 * o["points"] if o["rigid"] else 0, "f")):
            o[name] = struct.unpack_from("<%d%s" % (count, letter), data, at)
            at += 4 * count
    assert at == len(data), "the layout's arrays fill the message"
    return {"version": version, "id": number, **info}


def read_frame(data, layout):
    _, version, serial, number, frame, time_, cost, count, field = struct.unpack_from("<4I3dIi", data)
    assert number == layout["id"], "a frame belongs to the layout before it"
    numbers = dict(zip(layout["numbers"], struct.unpack_from("<%dd" % count, data, 48)))
    at = 48 + 8 * count
    places, values = {}, {}
    for o in layout["objects"]:
        size = 4 * (7 if o["rigid"] else 3 * o["points"])
        places[o["name"]] = data[at:at + size]
        at += size
    if field >= 0:
        for o in layout["objects"]:
            values[o["name"]] = struct.unpack_from("<%df" % o["points"], data, at)
            at += 4 * o["points"]
    assert at == len(data), "the frame's arrays fill the message"
    return {"version": version, "serial": serial, "frame": frame, "time": time_, "cost": cost, "numbers": numbers,
            "field": layout["fields"][field] if field >= 0 else "", "places": places, "values": values, "size": len(data)}
