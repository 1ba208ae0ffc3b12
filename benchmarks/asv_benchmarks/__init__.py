"""What asv times: `make bench-compare` compares two commits."""
