"""The learned part: a small U-Net that reads evidence maps and says which pixels are screen-space interface."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

_SOFT_AREA = 20.0  # pixels; smaller elements weigh as if they had this area


class _Block(nn.Module):
    """Two 3 x 3 convolutions; the first may halve the size, the second is residual."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.enter = nn.Conv2d(before, after, 3, stride, 1)
        self.norm = nn.GroupNorm(4, after)
        self.stay = nn.Conv2d(after, after, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.norm(self.enter(x)))
        return F.relu(x + self.stay(x))


class Segmenter(nn.Module):
    """Evidence (B, C, h, w), any h and w -> interface logits (B, h, w).

    The finest maps are half the input's size; the last layer unfolds them (pixel shuffle), beside a direct look at the
    evidence, so that thin glyphs survive.
    """

    def __init__(self, num_channels: int, widths: tuple[int, int, int, int, int]) -> None:
        super().__init__()
        w0, w1, w2, w3, w4 = widths
        self.stem = nn.Conv2d(num_channels, w0, 3, stride=2, padding=1)
        self.down1, self.down2 = _Block(w0, w1, 2), _Block(w1, w2, 2)
        self.down3, self.down4 = _Block(w2, w3, 2), _Block(w3, w4, 2)
        self.side3, self.side2 = nn.Conv2d(w4, w3, 1), nn.Conv2d(w3, w2, 1)
        self.side1, self.side0 = nn.Conv2d(w2, w1, 1), nn.Conv2d(w1, w0, 1)
        self.up3, self.up2 = nn.Conv2d(w3, w3, 3, padding=1), nn.Conv2d(w2, w2, 3, padding=1)
        self.up1 = nn.Conv2d(w1, w1, 3, padding=1)
        self.direct = nn.Conv2d(num_channels, w0, 2, stride=2)
        self.last = nn.Conv2d(w0, w0, 3, padding=1)
        self.head = nn.Conv2d(w0, 4, 3, padding=1)
        # Most pixels are world: start near that prior instead of spending steps to reach it.
        nn.init.constant_(self.head.get_parameter("bias"), -2.0)

    def forward(self, evidence: Tensor) -> Tensor:
        """Evidence float32 (B, C, h, w) -> logits float32 (B, h, w)."""
        height, width = evidence.shape[-2:]
        padded = F.pad(evidence, (0, -width % 32, 0, -height % 32), mode="replicate")
        x0 = F.relu(self.stem(padded))
        x1 = self.down1(x0)
        x2 = self.down2(x1)
        x3 = self.down3(x2)
        x4 = self.down4(x3)
        y3 = F.relu(self.up3(x3 + _double(self.side3(x4))))
        y2 = F.relu(self.up2(x2 + _double(self.side2(y3))))
        y1 = F.relu(self.up1(x1 + _double(self.side1(y2))))
        y0 = F.relu(x0 + _double(self.side0(y1)) + self.direct(padded))
        logits = F.pixel_shuffle(self.head(y0 + F.relu(self.last(y0))), 2)
        return logits[:, 0, :height, :width]


def _double(x: Tensor) -> Tensor:
    return F.interpolate(x, scale_factor=2.0, mode="nearest")


def mask_loss(logits: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy + soft Dice per sample, logits (B, h, w) against targets in {0, 1}: glyphs count beside panels."""
    entropy = F.binary_cross_entropy_with_logits(logits, target)
    probability = logits.sigmoid()
    overlap, total = (probability * target).sum(dim=(1, 2)), (probability + target).sum(dim=(1, 2))
    dice = 1.0 - (2.0 * overlap + _SOFT_AREA) / (total + _SOFT_AREA)
    return entropy + 0.5 * dice.mean()
