"""Kernels that make room in a full tree, by dropping the children of its least visited nodes."""
