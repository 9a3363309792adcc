"""Video in and out: reading, writing, probing, cutting, and pictures of it."""
