"""A real HTTP server that speaks /v1/chat/completions. Its answers are the truth of a twin, its faults are scripted."""

from __future__ import annotations

import base64
import io
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

Fault = str | tuple[str, Any] | None


class ChatServer:
    """`truth(frame_index)` gives the elements of an answer; `faults` are taken one per request, then all is well.

    Faults: ("status", code), ("retry_after", seconds), ("text", content), ("finish", reason), ("refusal", text),
    ("raw", bytes), ("sleep", seconds), "endless" (a body that never ends), "drip" (one that comes byte by byte), "hangup".
    """

    def __init__(self, truth: Callable[[int], list[dict[str, Any]]]) -> None:
        self.truth, self.faults = truth, list[Fault]()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.picture_sizes: list[tuple[int, int]] = []
        self.times: list[float] = []
        self._lock = threading.Lock()

    def answer(self, body: dict[str, Any]) -> str:
        """What a perfect model writes about the picture that was sent."""
        parts = body["messages"][1]["content"]
        prompt = next(part["text"] for part in parts if part["type"] == "text")
        url = next(part["image_url"]["url"] for part in parts if part["type"] == "image_url")
        head, data = url.split(",", 1)
        assert head == "data:image/png;base64"
        self.picture_sizes.append(Image.open(io.BytesIO(base64.b64decode(data))).size)
        image_id = re.search(r"Picture id: (f(\d+))", prompt)
        assert image_id is not None
        return json.dumps({"image_id": image_id[1], "elements": self.truth(int(image_id[2]))})

    def take(self, body: dict[str, Any], headers: dict[str, str]) -> Fault:
        """Note a request and say what goes wrong with it."""
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            return self.faults.pop(0) if self.faults else None


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            fault = server.take(body, {k.lower(): v for k, v in self.headers.items()})
            kind, value = fault if isinstance(fault, tuple) else (fault, None)
            if self.path != "/v1/chat/completions":
                return self._send(404, b"{}")
            if kind == "status":
                return self._send(value, b'{"error": {"message": "as the test asks"}}')
            if kind == "retry_after":
                return self._send(429, b"{}", {"retry-after": str(value)})
            if kind in ("endless", "drip"):
                return self._flood(b"a" * 65536 if kind == "endless" else b"a", 0.0 if kind == "endless" else 0.05)
            if kind == "hangup":
                return self.connection.close()
            if kind == "sleep":
                time.sleep(value)
            if kind == "raw":
                return self._send(200, value)
            message: dict[str, Any] = {"role": "assistant", "content": server.answer(body)}
            if kind == "text":
                message["content"] = value(message["content"]) if callable(value) else value
            if kind == "refusal":
                message = {"role": "assistant", "content": None, "refusal": value}
            choice = {"index": 0, "message": message, "finish_reason": value if kind == "finish" else "stop"}
            usage = {"prompt_tokens": 1200, "completion_tokens": 100, "total_tokens": 1300}
            reply = {
                "id": "1",
                "object": "chat.completion",
                "model": "twin-truth-1",
                "choices": [choice],
                "usage": usage,
            }
            return self._send(200, json.dumps(reply).encode())

        def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _flood(self, part: bytes, pause_s: float) -> None:
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(part)
                    self.wfile.flush()
                    time.sleep(pause_s)
            except OSError:
                return

    return Handler


@contextmanager
def serve(server: ChatServer) -> Iterator[str]:
    """Run it on a free local port; gives the base url."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}/v1"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
