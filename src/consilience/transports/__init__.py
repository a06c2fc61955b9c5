"""How messages travel: inside one process, as files, over a network."""

from consilience.transports.in_process import deliver
from consilience.transports.overhearing import overhear

__all__ = ["deliver", "overhear"]
