"""Searches in files: writing them, and reading them without trusting what they say."""
