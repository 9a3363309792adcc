"""GameCleaner: a mask-free, instruction-driven video diffusion transformer that removes screen-space UI from gameplay
video."""
