"""Which code a measurement depends on, so that other code may change without measuring anew."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import consilience

HOMES = {"consilience": Path(consilience.__path__[0]), "benchmarks": Path(__file__).parent}
LIBRARIES = ("numpy", "scipy", "scikit-learn")


def code_digest(module: str) -> str:
    """Return a digest of a module and of all code of this repository that it imports in the end.

    Docstrings and comments do not count, nor what a package lists beside the name that is imported
    from it. The versions of the libraries that the numbers come from do.

    Examples
    --------
    >>> code_digest("benchmarks.problems") == code_digest("benchmarks.code")
    False
    """
    digest = hashlib.blake2b(" ".join(map(version, LIBRARIES)).encode(), digest_size=8)
    for name in sorted(reached(module)):
        digest.update(f"{name} {_read(_file(name)).digest}".encode())
    return digest.hexdigest()


def reached(module: str) -> set[str]:
    """Return the names of the modules of this repository that a module imports, and its own.

    Examples
    --------
    >>> sorted(reached("consilience.datasets.splits"))
    ['consilience.datasets.splits']
    """
    found: set[str] = set()
    todo = [module] if module.partition(".")[0] in HOMES else []
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += [_home(*imported) for imported in _read(_file(name)).imports]
    return found


def _home(module: str, name: str) -> str:
    """Return where a name is written that is imported from a module, or listed by a package."""
    if name and _file(f"{module}.{name}").exists():
        return f"{module}.{name}"
    if _file(module).name == "__init__.py":
        for source, listed in _read(_file(module)).imports:
            if listed == name:
                return _home(source, name)
    return module


def _file(module: str) -> Path:
    top, *rest = module.split(".")
    path = HOMES[top].joinpath(*rest)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


class _Source(NamedTuple):
    digest: str
    imports: list[tuple[str, str]]
    """Modules of this repository, and the names imported from them."""


@lru_cache
def _read(file: Path) -> _Source:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imports: list[tuple[str, str]] = []
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            body[:] = [statement for statement in body if not _is_text(statement)]
        imports += [pair for pair in _imported(node) if pair[0].partition(".")[0] in HOMES]
    return _Source(hashlib.blake2b(ast.dump(tree).encode()).hexdigest(), imports)


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from ((str(node.module), alias.name) for alias in node.names)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
