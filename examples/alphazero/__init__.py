"""AlphaZero in a few small files: a network that learns a game by playing against itself.

`python -m examples.alphazero` learns tic-tac-toe; `--help` tells the rest. Read in this order: `settings`, `network`,
`replay`, `learn`, `evaluate`, `checkpoint`, `curve`.
"""
