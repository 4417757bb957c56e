"""What decides how a search goes, one family a file: selection, expansion, rollouts, methods, proofs, stoppers."""
