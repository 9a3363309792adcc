"""What exists and what it was made from: canonical JSON, manifests, the lake, handles, audits."""
