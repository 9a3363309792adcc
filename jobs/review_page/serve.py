"""The page's server process: a socket, the lake's proposals and uvicorn."""

from __future__ import annotations

import socket

import uvicorn

from g2w.ui.review.decisions import DecisionLog
from g2w_assets import settings
from jobs.review_page.board import Board
from jobs.review_page.proposals import current_proposals
from jobs.review_page.server import make_app


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        OSError: if the address is taken or not of this machine.
    """
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)


def run(listener: socket.socket, host: str) -> None:
    """Serve the lake of the settings until the process is interrupted."""
    root = settings.lake_root()
    board = Board(lambda: current_proposals(root), DecisionLog(settings.review_log()), quorum=settings.review_quorum())
    config = uvicorn.Config(make_app(board, host), log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])
