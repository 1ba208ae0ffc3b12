"""The rules engine: small compiled kernels over rows of bytes."""
