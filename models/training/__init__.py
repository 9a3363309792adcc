"""What every trainer shares: the reporter protocol, the step loop, resumable state, EMA and checkpoint files."""
