from __future__ import annotations

import pytest

from g2w.lineage.canonical import canonical_json, sha256_json
from g2w.lineage.manifest import FileEntry, Manifest, ManifestError, snapshot_id


def manifest(**changes) -> Manifest:
    fields = {
        "asset": "raw/clips",
        "partition": "b00001",
        "code_version": "1",
        "recipe": {"seed": 1},
        "parents": {"raw/videos": {"b00001": "a" * 64}},
        "files": (FileEntry("part-00000.parquet", "b" * 64, 10), FileEntry("a.mp4", "c" * 64, 5)),
        "rows": 3,
        "summary": {"rejected": 0},
    }
    return Manifest(**{**fields, **changes})


def test_canonical_json_is_one_text_per_value() -> None:
    assert canonical_json({"b": 1, "a": [True, None, "ü"]}) == '{"a":[true,null,"ü"],"b":1}\n'.encode()
    assert sha256_json({"a": 1, "b": 2}) == sha256_json({"b": 2, "a": 1})
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json({"x": float("nan")})


def test_round_trip_and_derived_facts() -> None:
    m = manifest()
    assert Manifest.from_bytes(m.to_bytes()) == manifest(files=tuple(sorted(m.files, key=lambda e: e.path)))
    assert m.size_bytes == 15
    assert m.sha256 == manifest(files=m.files[::-1]).sha256, "order of the files must not matter"


@pytest.mark.parametrize(
    "change",
    [{"rows": 4}, {"recipe": {"seed": 2}}, {"code_version": "2"}, {"parents": {"raw/videos": {"b00001": "d" * 64}}}],
)
def test_every_field_moves_the_hash(change: dict) -> None:
    assert manifest(**change).sha256 != manifest().sha256


def test_snapshot_name_depends_on_what_goes_in_and_not_on_what_comes_out() -> None:
    m = manifest()
    assert m.snapshot == manifest(rows=99, files=()).snapshot
    assert m.snapshot != manifest(recipe={"seed": 2}).snapshot
    assert m.snapshot == snapshot_id(m.asset, m.partition, m.recipe, m.code_version, m.parents)


def test_refuses_what_is_not_a_manifest() -> None:
    data = manifest().to_bytes()
    with pytest.raises(ManifestError, match="not a manifest"):
        Manifest.from_bytes(b"{}")
    with pytest.raises(ManifestError, match="canonical"):
        Manifest.from_bytes(data.replace(b'"rows":3', b'"rows": 3'))
    with pytest.raises(ManifestError, match="bytes are not"):
        Manifest.from_bytes(data.replace(b'"bytes":15', b'"bytes":16'))
    with pytest.raises(ManifestError, match="stage/noun"):
        manifest(asset="../etc")
    with pytest.raises(ManifestError, match="partition"):
        manifest(partition="../x")
