"""A vision model behind an OpenAI-compatible endpoint (/v1/chat/completions): vLLM, SGLang, llama.cpp or a hosted one.

One POST needs no client library: httpx2 is already in the tested set, and streaming the body lets us stop an endless
answer, which the openai package does not offer. The key is read from the environment at each call and kept nowhere.
"""

from __future__ import annotations

import base64
import io
import json
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from g2w.ui.detector import DetectReason
from g2w.ui.vision import VisionError, VisionReply, VisionRequest
from resources.mllm_budget import Budget

KEY_VARIABLE = "G2W_MLLM_KEY"
URL_VARIABLE = "G2W_MLLM_URL"
MODEL_VARIABLE = "G2W_MLLM_MODEL"
RETRIED = {408, 409, 425, 429, 500, 502, 503, 504}
MAX_WAIT_S = 60.0


@dataclass(frozen=True)
class EndpointConfig:
    """Where the model is and how long we are patient.

    Attributes:
        url: base up to and with /v1.
        model: id as the server knows it.
        tries: attempts per question, on 408, 409, 425, 429, 5xx, timeouts and lost connections.
        timeout_s: of one attempt, from its start to the last byte.
        max_tokens: asked for; an answer that ends there is rejected as truncated.
        max_bytes: of a response; more is an endless answer and is cut off.
        backoff_s: wait before the second try, doubled each time, with jitter; a Retry-After header wins.
        seed: sent with temperature 0.
    """

    url: str
    model: str
    tries: int = 4
    timeout_s: float = 120.0
    max_tokens: int = 4096
    max_bytes: int = 1_000_000
    backoff_s: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError(
                f"{URL_VARIABLE} must be http(s)://host[:port]/v1 without a password in it, got one with scheme "
                f"{parts.scheme!r}; a key goes into {KEY_VARIABLE}"
            )
        if not self.model:
            raise ValueError(f"an endpoint needs a model id: set {MODEL_VARIABLE}")
        if self.tries < 1 or self.timeout_s <= 0 or self.max_tokens < 1 or self.max_bytes < 1 or self.backoff_s < 0:
            raise ValueError(f"EndpointConfig needs positive tries, timeout_s, max_tokens and max_bytes: {self}")


class _Retry(Exception):
    """An attempt that may succeed later. `wait_s`: what the server asked for."""

    def __init__(self, reason: DetectReason, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.reason, self.wait_s = reason, wait_s


class Endpoint:
    """Implements `g2w.ui.vision.VisionModel`. Sampling is off (temperature 0, fixed seed)."""

    def __init__(
        self,
        config: EndpointConfig,
        budget: Budget | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._config, self._budget, self._sleep = config, budget, sleep

    @property
    def identity(self) -> Mapping[str, Any]:
        """The model and how it is sampled. Not the address: where a model is served does not change what it is."""
        c = self._config
        return {"backend": "openai", "model": c.model, "temperature": 0, "seed": c.seed, "max_tokens": c.max_tokens}

    def ask(self, request: VisionRequest) -> VisionReply:
        """Ask with retries.

        Raises:
            VisionError: after the last try, at once for an error that a retry cannot mend, and when the budget is spent.
        """
        body = self._body(request)
        for attempt in range(1, self._config.tries + 1):
            if self._budget is not None:
                self._budget.take_call()
            try:
                return self._attempt(body, attempt)
            except _Retry as failure:
                if attempt == self._config.tries:
                    raise VisionError(failure.reason, f"{failure}, after {attempt} tries") from None
                self._sleep(self._wait(attempt, failure.wait_s))
        raise AssertionError("the loop above returns or raises")

    def _wait(self, attempt: int, asked_s: float | None) -> float:
        if asked_s is not None:
            return min(asked_s, MAX_WAIT_S)
        return min(self._config.backoff_s * 2 ** (attempt - 1), MAX_WAIT_S) * random.uniform(0.75, 1.25)

    def _attempt(self, body: bytes, attempt: int) -> VisionReply:
        import httpx2

        headers = {"content-type": "application/json"}
        if key := os.environ.get(KEY_VARIABLE):
            headers["authorization"] = f"Bearer {key}"
        url = f"{self._config.url.rstrip('/')}/chat/completions"
        deadline = time.monotonic() + self._config.timeout_s
        try:
            with (
                # the environment's proxies and .netrc are none of our business
                httpx2.Client(timeout=self._config.timeout_s, trust_env=False) as client,
                client.stream("POST", url, content=body, headers=headers) as response,
            ):
                text = self._read(response, deadline)
                self._raise_for(response.status_code, response.headers.get("retry-after"))
        except httpx2.TimeoutException:
            raise _Retry(DetectReason.TIMEOUT, f"no answer in {self._config.timeout_s} s") from None
        except httpx2.HTTPError as error:
            # the message of a transport error names the host, never the headers
            raise _Retry(DetectReason.UNREACHABLE, f"connection failed: {type(error).__name__}") from None
        return self._reply(text, attempt)

    def _read(self, response: Any, deadline: float) -> bytes:
        """The body, unless it is too long or takes too long: a slow drip resets the client's own read timeout."""
        parts, size = [], 0
        for part in response.iter_bytes():
            size += len(part)
            if size > self._config.max_bytes:
                raise VisionError(DetectReason.ANSWER_TOO_LONG, f"more than {self._config.max_bytes} bytes")
            if time.monotonic() > deadline:
                raise _Retry(DetectReason.TIMEOUT, f"still answering after {self._config.timeout_s} s")
            parts.append(part)
        return b"".join(parts)

    @staticmethod
    def _raise_for(status: int, retry_after: str | None) -> None:
        if status == 200:
            return
        if status == 429:
            raise _Retry(DetectReason.RATE_LIMITED, "HTTP 429", _seconds(retry_after))
        if status in RETRIED:
            raise _Retry(DetectReason.SERVER_ERROR, f"HTTP {status}", _seconds(retry_after))
        if status in (401, 403):
            raise VisionError(DetectReason.UNAUTHORIZED, f"HTTP {status}: check {KEY_VARIABLE}")
        raise VisionError(DetectReason.REQUEST_REJECTED, f"HTTP {status}")

    def _reply(self, body: bytes, attempt: int) -> VisionReply:
        try:
            data = json.loads(body)
            choice = data["choices"][0]
            message, usage = choice["message"], data.get("usage") or {}
            refused = bool(message.get("refusal"))
            text = "" if refused else message["content"]
            if not isinstance(text, str):
                raise TypeError("content is no text")
            reply = VisionReply(
                text=text,
                finish="content_filter" if refused else str(choice.get("finish_reason")),
                served_model=data.get("model"),
                tokens_in=_count(usage.get("prompt_tokens")),
                tokens_out=_count(usage.get("completion_tokens")),
                attempts=attempt,
            )
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
            raise VisionError(
                DetectReason.BAD_RESPONSE, f"not a chat completion: {type(error).__name__} in {len(body)} bytes"
            ) from None
        if self._budget is not None:
            self._budget.add_tokens((reply.tokens_in or 0) + (reply.tokens_out or 0))
        return reply

    def _body(self, request: VisionRequest) -> bytes:
        from PIL import Image

        picture = io.BytesIO()
        Image.fromarray(request.image).save(picture, "PNG")
        url = "data:image/png;base64," + base64.b64encode(picture.getvalue()).decode()
        content = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": request.prompt}]
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": request.system},
            {"role": "user", "content": content},
        ]
        if request.complaint is not None:
            answer, problem = request.complaint
            messages += [
                {"role": "assistant", "content": answer},
                {"role": "user", "content": f"{problem} Answer again, with the whole corrected JSON object only."},
            ]
        form = {"name": "interface_elements", "strict": True, "schema": dict(request.schema)}
        return json.dumps(
            {
                "model": self._config.model,
                "messages": messages,
                "temperature": 0,
                "seed": self._config.seed,
                "n": 1,
                "max_tokens": self._config.max_tokens,
                "response_format": {"type": "json_schema", "json_schema": form},
            }
        ).encode()


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After in seconds; a date or nonsense counts as not given."""
    try:
        value = float(retry_after) if retry_after is not None else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < 86_400 else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None
