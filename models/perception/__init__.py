"""Looking at frames: embeddings and the distances that are measured in them."""

from models.perception.embed import Embedder, EmbedderIdentity, MissingEmbedderError, load_embedder
from models.perception.frechet import frechet_distance

__all__ = ["Embedder", "EmbedderIdentity", "MissingEmbedderError", "frechet_distance", "load_embedder"]
