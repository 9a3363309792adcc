"""Static pages for looking at data: one folder each, opened from the file system, without a server or a network."""
