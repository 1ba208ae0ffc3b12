"""Full-information search: which deals can be won, and how."""

from solitaire_env.solver.batch import solve_deals
from solitaire_env.solver.solve import ProofError, Verdict, solve

__all__ = ["ProofError", "Verdict", "solve", "solve_deals"]
