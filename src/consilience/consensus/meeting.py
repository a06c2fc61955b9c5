"""Where the peers of a study meet over a network, and how one of them goes there."""

from __future__ import annotations

from collections.abc import Callable

from consilience.consensus.network import Address, Traffic, curve_keys, run_peer
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import Peers
from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.keys import derive_key
from consilience.study.participant import Participant

__all__ = ["curve_seed", "meet_over_network", "show_place"]


def curve_seed(identity: Identity) -> bytes:
    """Derive the secret of a peer's CURVE keys from its signing key."""
    return derive_key(identity.signing.private_bytes_raw(), "curve")


def show_place(identity: Identity, endpoint: str) -> str:
    """Write the lines of a study file that say where a peer is reached and by which key."""
    public, _ = curve_keys(curve_seed(identity))
    return f'[consensus.places."{identity.name}"]\nendpoint = "{endpoint}"\ncurve = "{public}"\n'


def meet_over_network(
    me: Participant,
    peer: Peer,
    *,
    listen: str | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Traffic:
    """Run a peer with the others at the places the study names.

    Parameters
    ----------
    me : Participant
        In its private folder the checkpoint is kept.
    peer : Peer
    listen : str or None, default=None
        Where to listen, if not at the peer's own place.
    tell : callable
        Called with a line of progress now and then.

    Returns
    -------
    Traffic
    """
    study, agreed = me.study, me.study.of(Peers).consensus
    absent = [name for name in study.grid.parties if name not in agreed.places]
    if absent:
        raise StudyError(
            f"the study does not say where {absent} are. Each adds its place with `consilience "
            f"keygen --name ROLE --study STUDY --endpoint tcp://HOST:PORT`; or use --files."
        )
    public, secret = curve_keys(curve_seed(me.identity))
    if agreed.places[peer.name].curve != public:
        raise StudyError(
            f"the study has another curve key of {peer.name!r} than your private folder. Delete "
            f"its [consensus.places] entry and add yours with `consilience keygen --endpoint`."
        )
    return run_peer(
        peer,
        {name: Address(p.endpoint, p.curve) for name, p in agreed.places.items()},
        secret,
        listen=listen,
        timeout=agreed.timeout,
        folder=me.folder.path / "consensus" / study.digest[:12],
        tell=tell,
    )
