"""Systems to compare with: what needs no learning, and what is given the truth."""

from __future__ import annotations

from models.baselines.controls import BlackBoxes, CopyInput
from models.baselines.inner import OracleFillInner
from models.baselines.inpaint import OpenCVInpaint

__all__ = ["BlackBoxes", "CopyInput", "OpenCVInpaint", "OracleFillInner"]
