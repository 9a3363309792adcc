"""Starting the page's server: an address that is taken is said, and nothing heavy is loaded."""

from __future__ import annotations

import socket
import subprocess
import sys

from typer.testing import CliRunner

from jobs.cli import app
from jobs.review_page.serve import listen


def test_a_free_port_is_found_and_only_this_machine_is_served() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1" and listener.getsockname()[1] > 0


def test_a_taken_port_is_an_error_with_a_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(app, ["review", "serve", "--port", str(port)])
    assert result.exit_code == 2
    assert f"127.0.0.1:{port}" in result.output and "--port" in result.output


def test_the_server_needs_no_torch() -> None:
    code = "import sys, jobs.review_page.serve, g2w.ui.extract; print(sorted({'torch', 'dagster'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "[]"
