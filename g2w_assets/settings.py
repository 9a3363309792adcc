"""Where things lie on this machine: read from the environment once, with defaults inside the checkout."""

from __future__ import annotations

import json
import os
from pathlib import Path

MLLM_URL, MLLM_MODEL = "G2W_MLLM_URL", "G2W_MLLM_MODEL"
CHECKOUT = Path(__file__).resolve().parent.parent


def lake_root() -> str:
    """G2W_LAKE: a folder or an fsspec URL."""
    return os.environ.get("G2W_LAKE") or str(CHECKOUT / "lake")


def home() -> Path:
    """DAGSTER_HOME: the embedded instance and the embedded MLflow store."""
    return Path(os.environ.get("DAGSTER_HOME") or CHECKOUT / "dagster_home")


def inbox() -> Path:
    """G2W_INBOX: where recorded footage waits to be sealed into batches."""
    root = lake_root()
    default = Path(root) / "_inbox" if "://" not in root else home() / "inbox"
    return Path(os.environ.get("G2W_INBOX") or default)


def review_log() -> Path:
    """G2W_REVIEW: where the decisions of reviewers are appended."""
    root = lake_root()
    default = (Path(root) / "_review" if "://" not in root else home() / "review") / "decisions.jsonl"
    return Path(os.environ.get("G2W_REVIEW") or default)


def review_quorum() -> int:
    """G2W_REVIEW_QUORUM: votes that a proposal needs."""
    return int(os.environ.get("G2W_REVIEW_QUORUM", "1"))


def engine() -> str:
    """G2W_ENGINE: where per-clip work runs, local or ray."""
    return os.environ.get("G2W_ENGINE", "local")


def ray_address() -> str:
    """G2W_RAY_ADDRESS: a running Ray cluster; empty starts one on this machine."""
    return os.environ.get("G2W_RAY_ADDRESS", "")


def mlflow_uri() -> str:
    """G2W_MLFLOW: a server's URL; by default an SQLite file (the file store is refused by MLflow 3)."""
    return os.environ.get("G2W_MLFLOW") or f"sqlite:///{home() / 'mlflow.db'}"


def preset() -> str:
    """G2W_PRESET: tiny, dev or paper."""
    return os.environ.get("G2W_PRESET", "tiny")


def overrides() -> str:
    """G2W_OVERRIDES: a JSON object of plan fields; G2W_DETECTOR and G2W_MLLM_MODEL fill in theirs where it has none."""
    given = os.environ.get("G2W_OVERRIDES", "{}")
    named = {"detector": os.environ.get("G2W_DETECTOR"), "detector_model": os.environ.get(MLLM_MODEL)}
    chosen = {name: value for name, value in named.items() if value}
    return json.dumps({**chosen, **json.loads(given)}) if chosen else given


def mllm_url() -> str:
    """G2W_MLLM_URL: base of an OpenAI-compatible endpoint, up to and with /v1. Its key is G2W_MLLM_KEY."""
    return os.environ.get(MLLM_URL, "")


def mllm_folder() -> Path:
    """G2W_MLLM_CACHE: answers of vision models by content, and what was spent on them."""
    return Path(os.environ.get("G2W_MLLM_CACHE") or home() / "mllm")
