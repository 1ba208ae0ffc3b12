"""Sphinx configuration; the environments' pages are written from their rule sheets."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generate

import solitaire_env

generate.write_pages()

project = "solitaire_env"
author = copyright = "The solitaire_env authors"
release = version = solitaire_env.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"solitaire_env {release}"

myst_heading_anchors = 3
napoleon_use_ivar = True  # else an attribute is described twice
napoleon_attr_annotations = False  # the attributes' own entries have them
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_default_options = {"members": True}
