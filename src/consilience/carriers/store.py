"""Any store that fsspec reaches: SFTP, a bucket of S3, WebDAV, SMB and many more (extra store)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from consilience.carriers.folder import LOOK_AGAIN
from consilience.exceptions import CarrierError, MissingExtraError

__all__ = ["Store"]

ATTEMPTS = 5
FIRST_PAUSE = 0.2
SSH = ("sftp", "ssh")
FEATURE = "a carrier over a store"
T = TypeVar("T")


class Store:
    """A shelf in a store.

    Parameters
    ----------
    address : str
        Such as ``"sftp://user@host/path"``, ``"s3://bucket/prefix"`` or any other of fsspec. Keys
        and passwords come from where the store's own tools look for them: the agent and
        configuration of ssh, the environment and files of AWS.

    Examples
    --------
    >>> shelf = Store("memory://study")
    >>> shelf.write("a/b", b"piece")
    >>> shelf.find(), shelf.read("a/b")
    ({'a/b': 5}, b'piece')
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._files, self._root = self._try(lambda: _connect(address))

    def write(self, path: str, data: bytes) -> None:
        """Write a file; one that is there already gives way."""

        def act() -> None:
            full = f"{self._root}/{path}"
            self._files.makedirs(full.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(full, data)

        self._try(act)

    def read(self, path: str) -> bytes:
        """Return a file."""
        return self._try(lambda: bytes(self._files.cat_file(f"{self._root}/{path}")))

    def find(self) -> dict[str, int]:
        """Return the size of every file, by path."""

        def act() -> dict[str, Any]:
            self._files.invalidate_cache()
            try:
                found: dict[str, Any] = self._files.find(self._root, detail=True)
            except FileNotFoundError:
                return {}  # nobody has written anything yet
            return found

        start = len(self._root.strip("/")) + 1
        return {path.strip("/")[start:]: int(f["size"]) for path, f in self._try(act).items()}

    def rest(self, seconds: float) -> None:
        """Sleep: a store does not say when something is new."""
        time.sleep(min(seconds, LOOK_AGAIN))

    def _try(self, act: Callable[[], T]) -> T:
        """Act, and connect again and repeat where that fails: nothing here is harmful twice."""
        for attempt in range(ATTEMPTS):
            try:
                if attempt:
                    time.sleep(FIRST_PAUSE * 2 ** (attempt - 1))
                    self._files, self._root = _connect(self._address)
                return act()
            except (CarrierError, MissingExtraError):
                raise
            except FileNotFoundError as error:
                raise CarrierError(f"{_shown(self._address)} lacks a file: {error}.") from None
            except Exception as error:  # each library behind fsspec has errors of its own
                last = error
        raise CarrierError(
            f"{_shown(self._address)} cannot be reached or refuses: {type(last).__name__}. Try it "
            f"with the store's own tools."
        ) from last


def _connect(address: str) -> tuple[Any, str]:
    """Return a file system and the path of our folder in it."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError(FEATURE, "fsspec", "store") from None
    parts = urlsplit(address)
    try:
        if parts.scheme in SSH:
            from sshfs import SSHFileSystem

            given = {"username": parts.username, "password": parts.password, "port": parts.port}
            known = {name: unquote(str(v)) for name, v in given.items() if v is not None}
            if parts.port is not None:
                known["port"] = parts.port  # type: ignore[assignment]
            files = SSHFileSystem(str(parts.hostname), skip_instance_cache=True, **known)
            return files, parts.path.rstrip("/")
        files, path = fsspec.core.url_to_fs(address, skip_instance_cache=True)
    except ImportError as error:
        raise MissingExtraError(f"{FEATURE} ({parts.scheme})", str(error.name), "store") from None
    except ValueError as error:
        raise CarrierError(f"{_shown(address)} is no address of a store: {error}.") from None
    return files, str(path).rstrip("/")


def _shown(address: str) -> str:
    """Return an address without the password somebody may have put into it."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
