"""The page's server: few routes, each decision answered only when it is on the disk, nobody served but this page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from g2w.ui.review.decisions import ReviewError
from jobs.review_page.board import Board, UnknownProposal
from jobs.review_page.pictures import Cut, Pictures
from jobs.review_page.proposals import StaleProposals

STATIC = Path(__file__).with_name("static")
MAX_BODY_BYTES = 64 * 1024
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class BodyTooLarge(ValueError):
    """A request's body is longer than MAX_BODY_BYTES."""


def make_app(board: Board, host: str = "127.0.0.1") -> Starlette:
    """The application of one board, for requests to `host` only."""
    pictures, solving = Pictures(board), asyncio.Lock()

    def index(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    def queue(request: Request) -> Response:
        return JSONResponse(board.queue(request.query_params.get("reviewer", "").strip()))

    async def decide(request: Request) -> Response:
        if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
            return _error(415, "send a decision as application/json")
        # fsync may take a while: not on the thread that answers everybody.
        return JSONResponse(await run_in_threadpool(board.decide, await _body(request)))

    def frame(request: Request) -> Response:
        return _picture(pictures.frame(request.path_params["proposal"]))

    async def cut(request: Request) -> Cut | None:
        # One at a time, and not for those who have moved on: a person who leafs through must not wait for all of it.
        async with solving:
            if await request.is_disconnected():
                return None
            return await run_in_threadpool(pictures.cut, request.path_params["proposal"])

    async def matte(request: Request) -> Response:
        found = await cut(request)
        return JSONResponse(found and {"reason": found.reason, "box": found.box, "error": found.error})

    async def element(request: Request) -> Response:
        found = await cut(request)
        if found is None or found.png is None:
            return _error(404, f"alpha is not identifiable: {found and found.reason}")
        return _picture(found.png)

    app = Starlette(
        routes=[
            Route("/", index),
            Route("/api/queue", queue),
            Route("/api/decisions", decide, methods=["POST"]),
            Route("/api/frame/{proposal}.png", frame),
            Route("/api/matte/{proposal}", matte),
            Route("/api/cut/{proposal}.png", element),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={
            kind: _answer(status)
            for kind, status in ((ReviewError, 400), (UnknownProposal, 404), (BodyTooLarge, 413), (StaleProposals, 409),
                                 (OSError, 503), (ValueError, 500))
        },
    )  # fmt: skip
    app.add_middleware(Guard, host=host)
    return app


class Guard:
    """Refuses what another page may have caused: foreign names of this server (DNS rebinding), foreign origins."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app, self._host = app, host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(Headers(scope=scope))
        await (refusal or self._app)(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers) -> Response | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not _is_own(host, self._host):
            return _error(421, f"this server is not {host!r}; open the address that `g2w review serve` printed")
        if origin is not None and urlsplit(origin).netloc != host:
            return _error(403, f"a page of {origin!r} may not use this server")
        return None


def _is_own(host: str, bound: str) -> bool:
    """Whether a Host header can be meant for us: a bare address is, since rebinding needs a name that changes."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    try:
        return bool(ip_address(name))
    except ValueError:
        return name in {"localhost", bound.lower()}


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise BodyTooLarge(f"a decision has at most {MAX_BODY_BYTES} bytes")
    return body


def _picture(png: bytes) -> Response:
    # Ids are content addresses: the browser may keep what it was sent ahead of time.
    return Response(png, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})


def _error(status: int, text: str) -> JSONResponse:
    return JSONResponse({"error": text}, status)


def _answer(status: int) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, error: Exception) -> Response:
        return _error(status, str(error))

    return answer
