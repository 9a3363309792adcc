from __future__ import annotations

import pytest
import torch

from models.world.linear import LinearGuess

SHAPE = (2, 1, 2, 3)
SIZE = 12


def windows(count: int, directions: int = 3) -> torch.Tensor:
    """Latents (count, 2, 1, 2, 3): a mean, a few strong directions and weak noise."""
    generator = torch.Generator().manual_seed(0)
    basis = torch.randn(directions, SIZE, generator=generator)
    strong = torch.randn(count, directions, generator=generator) @ basis
    weak = 0.1 * torch.randn(count, SIZE, generator=generator)
    return (1.0 + strong + weak).view(count, *SHAPE)


def fitted(latents: torch.Tensor, rank: int) -> LinearGuess:
    guess = LinearGuess(SIZE, rank)
    guess.fit(latents)
    return guess


@pytest.mark.parametrize("sigma", [0.05, 0.5, 0.95])
def test_no_linear_predictor_fitted_to_samples_is_better(sigma: float) -> None:
    clean = windows(10_000)
    noise = torch.randn(clean.shape, generator=torch.Generator().manual_seed(1))
    z_t, velocity = (1 - sigma) * clean + sigma * noise, (noise - clean).flatten(1)
    guess = fitted(clean, 3)(z_t, torch.full((len(clean),), sigma)).flatten(1)
    inputs = torch.cat([z_t.flatten(1), torch.ones(len(clean), 1)], dim=1).double()
    best = inputs @ torch.linalg.lstsq(inputs, velocity.double()).solution
    found, least = ((part - velocity).square().mean().item() for part in (guess, best))
    assert found == pytest.approx(least, rel=0.01)
    assert found < 0.9 * (z_t.flatten(1) - velocity).square().mean().item()


def test_at_the_ends_it_knows_only_the_mean_and_only_the_clean_side() -> None:
    clean = windows(200)
    guess = fitted(clean, 3)
    noise = torch.randn(clean.shape, generator=torch.Generator().manual_seed(1))
    at_noise = guess(noise, torch.ones(len(clean)))
    assert torch.allclose(at_noise, noise - clean.mean(0), atol=1e-4)
    assert torch.allclose(guess(clean, torch.zeros(len(clean))), -clean, atol=1e-4)


def test_euler_steps_along_the_guess_give_the_fitted_gaussian() -> None:
    clean = windows(5_000)
    guess = fitted(clean, 3)
    z = torch.randn(clean.shape, generator=torch.Generator().manual_seed(2))
    for step in range(100):
        z = z - 0.01 * guess(z, torch.full((len(z),), 1 - 0.01 * step))
    drawn, wanted = (torch.cov(part.flatten(1).T) for part in (z, clean))
    assert (drawn - wanted).norm() < 0.1 * wanted.norm()
    assert torch.allclose(z.mean(0), clean.mean(0), atol=0.15)


def test_too_few_windows_or_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 3 windows of 12 latents"):
        LinearGuess(SIZE, 3).fit(windows(3))
    with pytest.raises(ValueError, match="windows of 11 latents"):
        LinearGuess(11, 3).fit(windows(20))
