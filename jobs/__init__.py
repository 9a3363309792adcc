"""When things run: jobs, schedules, sensors, and a person at a terminal."""
