"""Processes that do the heavy work: they open Pipes and MLflow and hand a plain reporter to the models."""
