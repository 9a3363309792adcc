"""The mask head: shapes, evidence that tells steady from moving, and its loss."""

from __future__ import annotations

import torch

from models.cleaner.config import MaskHeadConfig
from models.cleaner.flow import draw_groups
from models.cleaner.mask_head import MaskHead, Seen, group_frames, mask_loss, pixel_evidence, take_groups


def scene() -> torch.Tensor:
    """A texture that moves by one pixel a frame, and a steady checkered box."""
    torch.manual_seed(0)
    strip = torch.rand(16, 64) * 2 - 1
    video = torch.stack([strip[:, t : t + 32] for t in range(9)])
    box = (torch.arange(8)[:, None] + torch.arange(8)) % 4 < 2
    video[:, 4:12, 4:12] = box.float()
    return video[None, None].expand(1, 3, -1, -1, -1)


def test_steady_edges_stand_out() -> None:
    video = scene()
    evidence = pixel_evidence(Seen(video, video), video, 3)
    assert evidence.shape == (1, 16, 3, 16, 32)
    _, fixed, moving = evidence[0, 6:9, 0]
    ratio = fixed / moving
    assert ratio[6:10, 6:10].mean() > 0.95 > 0.6 > ratio[:, 20:30].mean()
    assert not evidence[:, 3:6].any()


def test_the_shot_tells_a_resting_camera_from_interface() -> None:
    moving = scene()
    still = moving[:, :, :1].expand(-1, -1, 9, -1, -1)
    evidence = pixel_evidence(Seen(still, moving), still, 3)
    window, shot = (evidence[0, start + 1, 0] / evidence[0, start + 2, 0] for start in (6, 9))
    assert window.min() > 0.99, "over the window everything stands still"
    assert shot[6:10, 6:10].mean() > 0.95 > 0.6 > shot[:, 20:30].mean()
    away = evidence[0, 15, 0]
    assert away[6:10, 6:10].max() < 1e-5 < 0.1 < away[:, 20:30].mean()


def test_groups_are_frame_zero_and_means() -> None:
    video = torch.arange(9.0).view(1, 1, 9, 1, 1)
    assert group_frames(video, 3).flatten().tolist() == [0.0, 2.5, 6.5]
    assert group_frames(video[:, :, :1], 1).flatten().tolist() == [0.0]


def test_logits_have_inner_size_and_gradients_reach_the_features() -> None:
    head = MaskHead(MaskHeadConfig(token_features=2, width=8), 12)
    hidden = torch.randn(2, 12, 3, 2, 4, requires_grad=True)
    logits = head(hidden, torch.randn(2, 16, 3, 16, 32))
    assert logits.shape == (2, 3, 16, 32)
    logits.sum().backward()
    assert hidden.grad is not None and hidden.grad.abs().sum() > 0


def test_loss_prefers_the_right_mask() -> None:
    target = torch.zeros(1, 1, 8, 8)
    target[..., 2:5, 2:5] = 1
    right, empty, full = (
        mask_loss(10 * (2 * m - 1), target) for m in (target, torch.zeros_like(target), torch.ones_like(target))
    )
    assert right < 0.01 < empty and right < full


def test_drawn_groups_are_a_subset_in_order_and_reach_every_frame() -> None:
    generator = torch.Generator().manual_seed(0)
    assert draw_groups(None, (2, 3), generator).tolist() == [[0, 1, 2], [0, 1, 2]]
    drawn = torch.cat([draw_groups(2, (4, 3), generator) for _ in range(20)])
    assert drawn.shape == (80, 2) and (drawn[:, 0] < drawn[:, 1]).all()
    assert set(drawn.flatten().tolist()) == {0, 1, 2}


def test_a_mask_of_drawn_groups_is_that_part_of_the_whole() -> None:
    torch.manual_seed(0)
    head = MaskHead(MaskHeadConfig(token_features=2, width=8), 12)
    hidden, evidence = torch.randn(2, 12, 3, 2, 4), torch.randn(2, 16, 3, 16, 32)
    groups = torch.tensor([[0, 2], [1, 2]])
    whole, part = head(hidden, evidence), head(take_groups(hidden, groups), take_groups(evidence, groups))
    for sample, chosen in enumerate(groups):
        assert torch.allclose(part[sample], whole[sample, chosen], atol=1e-6)
