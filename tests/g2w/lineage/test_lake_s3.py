"""The lake against a real S3-speaking server, started here."""

from __future__ import annotations

from collections.abc import Iterator

import fsspec
import pytest

from g2w.lineage.batch import Batch, Source
from g2w.lineage.lake import Lake
from g2w.lineage.work import open_workspace

pytestmark = pytest.mark.services
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    _, port = server.get_host_and_port()
    for name, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}.items():
        monkeypatch.setenv(name, value)
    fsspec.filesystem("s3").clear_instance_cache()
    name = f"lake-{abs(hash(request.node.name))}"  # the server keeps its buckets as long as the process lives
    fsspec.filesystem("s3").mkdir(name)
    yield f"s3://{name}/prefix"
    fsspec.filesystem("s3").clear_instance_cache()
    server.stop()


def test_the_same_tree_and_the_same_code(bucket: str, tmp_path) -> None:
    remote, local = Lake(bucket, str(tmp_path / "cache")), Lake(str(tmp_path / "local"))
    made = []
    for lake in (remote, local):
        work = open_workspace(lake, "raw/clips", "all", recipe={"seed": 1}, code_version="1", parents={}, run="r" * 20)
        (work.path / "a.mp4").write_bytes(b"payload")
        rows = work.write_table([{"id": 1}])
        made.append(work.publish(rows=rows, summary={"rejected": 0}, run_facts={}))
    assert made[0].manifest_sha256 == made[1].manifest_sha256, "where the lake lies must not change a hash"
    opened = remote.open(made[0].handle)
    assert opened.rows() == [{"id": 1}]
    assert opened.local("a.mp4").read_bytes() == b"payload"
    assert (opened.local_dir() / "a.mp4").read_bytes() == b"payload"
    remote.set_head(made[0].handle)
    assert remote.head("raw/clips", "all") == made[0].handle


def test_only_one_writer_publishes(bucket: str, tmp_path) -> None:
    lake = Lake(bucket, str(tmp_path / "cache"))
    assert lake.create("x.json", b"first")
    assert not lake.create("x.json", b"second")
    assert lake.read("x.json") == b"first"
    batch = Batch("b00001", (Source("a.mp4", "s3://elsewhere/a.mp4", "e" * 64, 1, {}),))
    lake.seal(batch)
    assert lake.batches() == ["b00001"]
    assert lake.batch("b00001") == batch
