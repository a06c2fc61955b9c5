"""A role that has joined a study at a carrier: what it does at each look, by the kind of study."""

from __future__ import annotations

import time
from pathlib import Path

from consilience.by_files import by_files
from consilience.carriers.carrier import Carrier
from consilience.carriers.folder import LOOK_AGAIN
from consilience.cli.shared.console import tell
from consilience.cli.shared.options import participant
from consilience.cli.shared.post import STUDY, Post, fetch_study
from consilience.cli.shared.rounds import play_rounds
from consilience.cli.shared.sending import Consent
from consilience.cli.shared.taking_part import ANSWER, Event, answer_all, take_part
from consilience.cli.shared.windows import send_windows
from consilience.exceptions import CarrierError, StudyError
from consilience.sources.source import Source
from consilience.study.study import ANALYST

__all__ = ["Joined"]


class Joined:
    """A role at a carrier.

    Parameters
    ----------
    carrier : Carrier
    role : str
    home : Path
        Where its files lie, as they do by hand.
    private : Path, optional
    source : Source, optional
        The table of a party.
    consent : Consent
    event : callable
        Told what happened.

    Attributes
    ----------
    lasts : bool
        Whether there is always more to come, as in a stream.
    again : bool
        Whether a party has yet to contribute again.
    now : bool
        Whether the analyst solves with those who are there.
    """

    def __init__(
        self,
        carrier: Carrier,
        role: str,
        home: Path,
        private: Path | None,
        source: Source | None,
        consent: Consent,
        event: Event,
    ) -> None:
        self._carrier, self._role, self._private = carrier, role, private
        self._path, self._source, self._consent = home / STUDY, source, consent
        self._text = b""
        self._post: Post | None = None
        self.event, self.lasts, self.again, self.now = event, False, False, False

    def look(self) -> str:
        """Do what can be done; return what is waited for."""
        if not fetch_study(self._carrier, self._role, self._path, accept=self._consent.accept):
            return "a study: nobody has put one there"
        post = self._open_post()
        verb = post.me.study.method.verb
        self.lasts = verb == "stream"
        if self._role == ANALYST:
            return self._look_as_analyst(post, verb)
        if self._source is None:
            raise StudyError("no table was given: name yours with --data.")
        given = (self._source, self._consent, self.event)
        if verb == "contribute":
            waiting = take_part(post, *given, again=self.again)
            self.again = self.again and waiting not in (ANSWER, "")
            return waiting
        kind = by_files(post.me.study, verb)
        return (send_windows if verb == "stream" else play_rounds)(post, kind, *given)

    def carry(self) -> None:
        """Send what left before and fetch what is there; make nothing."""
        if not fetch_study(self._carrier, self._role, self._path, accept=self._consent.accept):
            raise StudyError("nobody has put a study there: the analyst carries it there first.")
        post = self._open_post()
        sent, found = post.send(), [path for _, path in post.letters()]
        tell(f"{len(sent)} files are there from you, {len(found)} for you")

    def rest(self, seconds: float) -> None:
        """Wait until something may be new; a place that is out of reach may come back."""
        try:
            self._carrier.wait(seconds)
        except CarrierError:
            time.sleep(LOOK_AGAIN)

    def _look_as_analyst(self, post: Post, verb: str) -> str:
        if verb == "stream":
            return answer_all(post, by_files(post.me.study, verb), self.event, now=True)
        kind = by_files(post.me.study, "analyse")
        return answer_all(post, kind, self.event, now=self.now, newcomers=[])

    def _open_post(self) -> Post:
        """Take the role's place in the study as it is now; letters that were read stay read."""
        text = self._path.read_bytes()
        if self._post is None or text != self._text:
            me = participant(self._path, self._role, self._private)
            self._post, self._text = Post(self._carrier, me, self._path.parent), text
        return self._post
