"""What kernels, rules and the engine share: the tree's arrays, scratch, constants, types, checks of values."""
