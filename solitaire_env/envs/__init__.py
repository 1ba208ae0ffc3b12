"""Gymnasium environments over the rules engine."""
