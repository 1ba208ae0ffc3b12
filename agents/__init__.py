"""Example players and their training, thin over `solitaire_env.evaluation`."""
