"""`python -m solitaire_env.cli`: the command without its script."""

import sys

from solitaire_env.cli import main

sys.exit(main())
