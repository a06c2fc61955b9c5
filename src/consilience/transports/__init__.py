"""How messages travel: inside one process, as files, over a network."""

from consilience.transports.in_process import deliver

__all__ = ["deliver"]
