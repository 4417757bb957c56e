"""The verbs of the search: each kernel does one step, and `loop` reads as the algorithm."""
