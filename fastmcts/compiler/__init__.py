"""How Python classes get into kernels: components and their fingerprints, bundles, the disk cache, Numba's options."""
