#!/usr/bin/env python3
"""The server for the outside program. Prints its base URL, then serves.

With --until-end-of-input, it exits at the end of its standard input, so that it ends with the program that started it.
"""

import base64
import collections
import hashlib
import json
import os
import select
import struct
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PHOTO = bytes((n * 7 + 13) % 256 for n in range(48_000))
LITTER = PHOTO * 50


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height):
    """A picture whose red increases to the right and whose green increases downwards."""
    rows = b"".join(
        b"\0" + b"".join(bytes((255 * x // width, 255 * y // height, 90)) for x in range(width)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


PICTURE = png(160, 120)
NAMES = ["bella", "momo", "rex"]
SIGN_IN = "Basic " + base64.b64encode(b"dog:biscuit").decode()

counts = collections.Counter()
seen = collections.defaultdict(lambda: threading.Semaphore(0))
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer_json(self, value, status=200):
        self.answer(status, json.dumps(value).encode(), Content_Type="application/json")

    def begin(self):
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        with lock:
            counts[parts.path] += 1
        return parts.path, query

    def do_GET(self):
        path, query = self.begin()
        if path == "/photo":
            self.answer(200, PHOTO, Content_Type="image/jpeg")
        elif path == "/litter":
            self.answer(200, LITTER, Content_Type="application/octet-stream")
        elif path == "/thumbnail":
            known = query.get("id") in NAMES
            self.answer(200 if known else 404, PICTURE if known else b"", Content_Type="image/png")
        elif path == "/ids":
            self.answer(200, ("\n".join(NAMES) + "\n").encode(), Content_Type="text/plain; charset=utf-8")
        elif path == "/names":
            self.answer_json(NAMES)
        elif path == "/moved":
            self.answer(302, Location="/photo")
        elif path == "/private":
            if self.headers.get("Authorization") == SIGN_IN:
                self.answer(200, b"good dog")
            else:
                self.answer(401, b"who are you?", WWW_Authenticate='Basic realm="kennel"')
        elif path == "/hold":
            self.hold()
        elif path == "/favorites":
            self.favorites(query["stream"])
        elif path == "/seen":
            seen[query["stream"]].release()
            self.answer(204)
        elif path == "/requests":
            with lock:
                number = counts[query["path"]]
            self.answer_json(number)
        else:
            self.answer(404, b"no such page")

    def do_POST(self):
        path, _ = self.begin()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if path == "/upload":
            self.answer_json({"bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}, status=201)
        elif path == "/echo":
            self.answer(200, body, Content_Type=self.headers.get("Content-Type", "text/plain"))
        else:
            self.answer(404)

    def hold(self):
        """Sends no response until the client disconnects. Closes the connection after 20 seconds."""
        select.select([self.connection], [], [], 20)
        self.close_connection = True

    def favorites(self, stream):
        """Sends one line, and the next one only after the client has confirmed this one."""
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for count, name in enumerate(NAMES, 1):
            line = json.dumps({"photo": name, "favorites": count}).encode() + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            if not seen[stream].acquire(timeout=10):
                self.close_connection = True
                return
        self.wfile.write(b"0\r\n\r\n")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass  # a client that disconnects is not an error here


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    if "--until-end-of-input" in sys.argv[1:]:
        threading.Thread(target=end_with_input, daemon=True).start()
    server = Server(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
