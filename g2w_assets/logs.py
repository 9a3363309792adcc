"""A console logger that shows what the stages say and leaves the engine's own events to the database."""

from __future__ import annotations

import logging

import dagster as dg


@dg.logger(config_schema={"log_level": dg.Field(str, default_value="INFO", is_required=False)})
def g2w_console(context: dg.InitLoggerContext) -> logging.Logger:
    """Lines such as `12:00:03  raw/clips [b00001]: 8 of 16`."""
    log = logging.Logger("g2w", level=context.logger_config["log_level"])
    handler = logging.StreamHandler()
    handler.setFormatter(_UserText("%(asctime)s  %(message)s", "%H:%M:%S"))
    log.addHandler(handler)
    return log


class _UserText(logging.Formatter):
    """Dagster wraps a message in run and step names; the words of the stage are the `orig_message` of its metadata."""

    def format(self, record: logging.LogRecord) -> str:
        meta = getattr(record, "dagster_meta", None)
        original = meta.get("orig_message") if isinstance(meta, dict) else None
        if original is not None:
            record = logging.makeLogRecord({**record.__dict__, "msg": original, "args": ()})
        return super().format(record)
