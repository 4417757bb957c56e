"""What people look at: positions as a player sees them, and games in the terminal."""
