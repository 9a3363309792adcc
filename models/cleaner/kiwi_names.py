"""Tensor names of Kiwi-Edit training checkpoints <-> ours (diffusers names for the DiT). One-to-one in both
directions."""

from __future__ import annotations

# Longer patterns first: each rule replaces one piece of a dotted name.
_TOP = (
    ("dit.text_embedding.0.", "transformer.condition_embedder.text_embedder.linear_1."),
    ("dit.text_embedding.2.", "transformer.condition_embedder.text_embedder.linear_2."),
    ("dit.time_embedding.0.", "transformer.condition_embedder.time_embedder.linear_1."),
    ("dit.time_embedding.2.", "transformer.condition_embedder.time_embedder.linear_2."),
    ("dit.time_projection.1.", "transformer.condition_embedder.time_proj."),
    ("dit.head.modulation", "transformer.scale_shift_table"),
    ("dit.head.head.", "transformer.proj_out."),
    ("dit.", "transformer."),
    ("vae_condition.", "source_embedder."),
    ("ref_vae_condition.", "ref_embedder."),
    ("mllm.connetor.", "connector."),  # the released files spell it so
    ("mllm.ref_connector.", "ref_connector."),
    ("mllm.video_queries.q", "video_queries"),
    ("mllm.ref_queries.q", "ref_queries"),
)
_IN_BLOCK = (
    (".self_attn.q.", ".attn1.to_q."),
    (".self_attn.k.", ".attn1.to_k."),
    (".self_attn.v.", ".attn1.to_v."),
    (".self_attn.o.", ".attn1.to_out.0."),
    (".self_attn.", ".attn1."),
    (".cross_attn.q.", ".attn2.to_q."),
    (".cross_attn.k.", ".attn2.to_k."),
    (".cross_attn.v.", ".attn2.to_v."),
    (".cross_attn.o.", ".attn2.to_out.0."),
    (".cross_attn.", ".attn2."),
    (".ffn.0.", ".ffn.net.0.proj."),
    (".ffn.2.", ".ffn.net.2."),
    (".norm3.", ".norm2."),
    (".modulation", ".scale_shift_table"),
)


def kiwi_to_ours(name: str) -> str:
    """Our name of a Kiwi-Edit tensor; raises KeyError for a name of no known part (image queries are not used here)."""
    return _translate(name, _TOP, _IN_BLOCK, ".blocks.")


def ours_to_kiwi(name: str) -> str:
    """Kiwi-Edit's name of one of our tensors; the inverse of `kiwi_to_ours`."""
    return _translate(name, _flip(_TOP), _flip(_IN_BLOCK), ".blocks.")


def _flip(rules: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(((theirs, ours) for ours, theirs in rules), key=lambda rule: -len(rule[0])))


def _translate(name: str, top: tuple[tuple[str, str], ...], inner: tuple[tuple[str, str], ...], marker: str) -> str:
    for start, replacement in top:
        if name.startswith(start):
            translated = replacement + name[len(start) :]
            break
    else:
        raise KeyError(f"'{name}' belongs to no known part of a Kiwi-Edit cleaner")
    if marker in translated:
        for piece, replacement in inner:
            if piece in translated:
                return translated.replace(piece, replacement, 1)
    return translated
