"""The documentation site: ``make docs`` builds it from the pages, docstrings and notebooks.

The source folder is the root of the repository, so that pages keep the links they have there.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import consilience

project = "Consilience"
author = "The Consilience developers"
release = version = consilience.__version__
copyright = author

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_nb",
    "sphinx_external_toc",
    "_site.mathml",
    "_site.sources",
    "_site.keyboard",
]
external_toc_path = "docs/toc.yml"
include_patterns = ["docs/**", "examples/*.ipynb", "*.md"]
exclude_patterns = ["docs/_site/**", "dist", ".venv*", "**/README-*"]
suppress_warnings = ["myst.header", "etoc.toctree"]
templates_path = [str(Path(__file__).parent / "_site" / "templates")]

html_theme = "furo"
html_title = "Consilience"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False

math_number_all = False
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
# Links to files that are no pages lead to copies of them: the site is whole without a network.
myst_all_links_external = False

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

CITATION = re.compile(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)\]_")


FITTED = re.compile(r"(?<=[\s(,])(\w+)_(?=[\s,)])")


def prepare(app, what, name, obj, options, lines):
    """Let keys of papers lead to the references, and a shape name what was fitted."""
    for k, line in enumerate(lines):
        field, sign, kind = line.partition(" : ")
        kind = FITTED.sub(r"\1\\_", kind)
        lines[k] = CITATION.sub(r":doc:`[\1] </docs/papers>`", f"{field}{sign}{kind}")


def skip(app, what, name, obj, skipped, options):
    """Leave out what scikit-learn adds to every estimator."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def setup(app):
    """Tell Sphinx about what is ours."""
    app.connect("autodoc-process-docstring", prepare, priority=100)
    app.connect("autodoc-skip-member", skip)
