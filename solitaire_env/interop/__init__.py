"""Doors to training libraries: one thin file each, imported only by those who use it."""
