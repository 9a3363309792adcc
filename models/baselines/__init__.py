"""Systems to compare with: fills that are given the true masks. The controls lie in `g2w.bench.controls`."""

from __future__ import annotations

from models.baselines.inner import OracleFillInner
from models.baselines.inpaint import OpenCVInpaint

__all__ = ["OpenCVInpaint", "OracleFillInner"]
