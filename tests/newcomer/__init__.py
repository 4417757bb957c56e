"""What a newcomer adds, one file each: nothing else in the repository knows of them but their test."""
