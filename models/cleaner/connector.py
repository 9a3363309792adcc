"""From language-model states to the DiT's cross-attention context (Kiwi-Edit's connector; its checkpoints spell it
`connetor`)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn


class Connector(nn.Sequential):
    """Linear(hidden, dim), tanh-GELU, Linear(dim, dim); the last layer starts at zero, so an untrained context is all
    zeros."""

    def __init__(self, hidden: int, dim: int) -> None:
        last = nn.Linear(dim, dim)
        last.weight.data.zero_()
        last.bias.data.zero_()
        super().__init__(nn.Linear(hidden, dim), nn.GELU(approximate="tanh"), last)


def query_states(
    last_hidden: Tensor,
    input_ids: Tensor,
    *,
    num_queries: int,
    placeholder_id: int,
    query_slice: Literal["placeholder", "tail"],
) -> Tensor:
    """Hidden states (B, num_queries, H) of the latent queries out of (B, S, H).

    "placeholder" takes the positions of the placeholder token; "tail" the last `num_queries` positions, which is what
    released weights learned (the chat template appends tokens, so the two differ). Raises ValueError if a row has
    another count.
    """
    if query_slice == "tail":
        return last_hidden[:, -num_queries:]
    mask = input_ids == placeholder_id
    counts = mask.sum(dim=1)
    if not bool((counts == num_queries).all()):
        raise ValueError(
            f"expected {num_queries} placeholder tokens (id {placeholder_id}) in each row, got {counts.tolist()}"
        )
    return last_hidden[mask].view(last_hidden.shape[0], num_queries, -1)


def reference_states(last_hidden: Tensor, input_ids: Tensor, *, start_id: int, end_id: int) -> Tensor:
    """Hidden states (1, n, H) strictly inside the last vision segment: those of the reference image. One sample
    only."""
    if last_hidden.shape[0] != 1:
        raise ValueError(f"reference states are taken one sample at a time, got batch {last_hidden.shape[0]}")
    start = int(torch.nonzero(input_ids[0] == start_id)[-1])
    end = int(torch.nonzero(input_ids[0] == end_id)[-1])
    return last_hidden[:, start + 1 : end]


def build_context(
    last_hidden: Tensor,
    input_ids: Tensor,
    connector: Connector,
    ref_connector: Connector | None = None,
    *,
    num_queries: int,
    placeholder_id: int,
    vision_ids: tuple[int, int],
    query_slice: Literal["placeholder", "tail"] = "placeholder",
) -> Tensor:
    """Context (B, n, dim): connected query states; with `ref_connector` the reference image's states come in front of
    them."""
    states = query_states(
        last_hidden, input_ids, num_queries=num_queries, placeholder_id=placeholder_id, query_slice=query_slice
    )
    context = connector(states)
    if ref_connector is None:
        return context
    inside = reference_states(last_hidden, input_ids, start_id=vision_ids[0], end_id=vision_ids[1])
    return torch.cat([ref_connector(inside), context], dim=1)
