"""What runs a search around its kernels: memory, clocks, threads, reuse, progress, checks of games, files."""
