#!/usr/bin/env python3
"""The server for the examples' test. Prints its base URL, then serves until its standard input ends."""

import base64
import collections
import os
import struct
import sys
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ARCHIVE = bytes(n * 7 % 251 for n in range(300_000))
SIGN_IN = "Basic " + base64.b64encode(b"ada:biscuit").decode()

counts = collections.Counter()


def png(width, height):
    """A picture that gets redder to the right and greener downwards."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(
        b"\0" + b"".join(bytes((255 * x // width, 255 * y // height, 90)) for x in range(width)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/page":
            self.answer(200, b"<!doctype html><title>Dogs</title>", Content_Type="text/html; charset=utf-8")
        elif self.path == "/lines":
            self.endless_lines()
        elif self.path == "/events":
            events = b"event: heart\ndata: bella\n\nevent: heart\ndata: momo\n\n"
            self.answer(200, events, Content_Type="text/event-stream")
        elif self.path == "/archive":
            self.archive()
        elif self.path == "/private":
            if self.headers.get("Authorization") == SIGN_IN:
                self.answer(200, b"Good dog.", Content_Type="text/plain")
            else:
                self.answer(401, WWW_Authenticate='Basic realm="kennel"')
        elif self.path == "/photo.png":
            self.answer(200, png(160, 120), Content_Type="image/png")
        else:
            self.answer(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(201, Location=f"/photos/{len(body)}")

    def endless_lines(self):
        """Writes lines until the client goes away."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Connection", "close")
        self.end_headers()
        number = 0
        try:
            while True:
                number += 1
                self.wfile.write(f"line {number}\n".encode())
        except OSError:
            pass

    def archive(self):
        """Breaks the connection in the middle of the first two responses."""
        counts["archive"] += 1
        start = 0
        asked = self.headers.get("Range", "")
        if asked.startswith("bytes="):
            start = int(asked.removeprefix("bytes=").split("-")[0])
        self.send_response(206 if asked else 200)
        self.send_header("ETag", '"1"')
        self.send_header("Accept-Ranges", "bytes")
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{len(ARCHIVE) - 1}/{len(ARCHIVE)}")
        self.send_header("Content-Length", str(len(ARCHIVE) - start))
        self.end_headers()
        if counts["archive"] <= 2:
            self.wfile.write(ARCHIVE[start : start + 100_000])
            self.close_connection = True
        else:
            self.wfile.write(ARCHIVE[start:])


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with_input, daemon=True).start()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
