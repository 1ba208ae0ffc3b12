"""A game and those who look at it: every change is told to every page."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import randbelow, token_hex
from threading import Lock
from typing import Final, Protocol, TypeVar

from solitaire_env.web.advice import Advisors
from solitaire_env.web.game import Game, RefusedError
from solitaire_env.web.messages import Message
from solitaire_env.web.view import Json, table_view

MAX_ROOMS: Final = 16
"""Games that are kept; the one that was used least lately is forgotten, as its page has it."""

_FIRST_NUMBERS: Final = 2**40

T = TypeVar("T")


class Page(Protocol):
    """A page that looks at a game."""

    def tell(self, message: Json) -> None:
        """Send it a message, without waiting."""
        ...


@dataclass(frozen=True)
class Players:
    """The agents that there are.

    Attributes:
        agents: name -> what `load_player` takes.
        hints: names, the most trusted first.
    """

    agents: Mapping[str, str]
    hints: tuple[str, ...]


@dataclass
class Room:
    """A game, its pages and its agents.

    Attributes:
        id: what its pages call it.
        game: in play.
        players: the agents that there are.
        number: of the position, another after every change; it begins anywhere, so that a number
            of before a restart is stale.
        pages: those that look at it.
    """

    id: str
    game: Game
    players: Players
    number: int = field(default_factory=lambda: randbelow(_FIRST_NUMBERS))
    pages: list[Page] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.advisors = self._new_advisors()
        self._mind = Lock()

    def _new_advisors(self) -> Advisors:
        return Advisors(self.game.variant, self.players.agents, self.players.hints)

    def enter(self, page: Page) -> None:
        """Let a page look at the game from now on."""
        self.pages.append(page)
        self.game.watch(True)
        page.tell(self.table())

    def leave(self, page: Page) -> None:
        """Let a page go."""
        self.pages.remove(page)
        self.game.watch(bool(self.pages))

    def table(self, refused: str = "", answers: int = 0) -> Json:
        """Tell of the table as it is, what was refused, if anything, and the answered request."""
        told = {"is": "table", "game": self.id, "number": self.number}
        return told | {"refused": refused, "answers": answers} | table_view(self.game)

    def check(self, at: int) -> None:
        """Raise RefusedError if this is not the number of the position."""
        if at != self.number:
            raise RefusedError("the table has changed in the meantime")

    def change(self, message: Message, asker: Page) -> None:
        """Do what a page asks for and what changes the table, and tell all pages.

        Raises:
            RefusedError: if it can't be done; nothing has changed then.
        """
        self.check(message.at)
        match message.do:
            case "move":
                self.game.play(message.more["action"])
            case "undo":
                self.game.undo()
            case "redo":
                self.game.redo()
            case "restart":
                self.game.go_to(0)
            case _:
                self._deal(**message.more)
        self._tell_all(message, asker)

    def _deal(self, variant: str, deal: int | None) -> None:
        self.game = Game(variant, deal)
        self.game.watch(bool(self.pages))
        self.advisors = self._new_advisors()

    def _tell_all(self, message: Message, asker: Page) -> None:
        """Tell of the change that a page asked for; its table alone is the answer."""
        self.number += 1
        told = self.table()
        for page in self.pages:
            page.tell(told | {"answers": message.ask} if page is asker else told)

    async def advise(self, message: Message) -> Json:
        """Ask an agent what it would play here."""

        def think() -> Json:
            advisor = advisors.find(message.more["agent"])
            choice, thought = advisor.choice(moment), advisor.thought(moment)
            told = {"chances": thought.top, "value": thought.value}
            return {"agent": advisor.name, "choice": choice, **told}

        self.check(message.at)
        advisors, moment = self.advisors, self.game.moment
        return {"is": "advice", "number": message.at, **await self._think(think)}

    async def let_play(self, message: Message, asker: Page) -> None:
        """Let an agent play a move for a page."""

        def think() -> int:
            return advisors.find(message.more["agent"]).choice(moment)

        self.check(message.at)
        advisors, moment = self.advisors, self.game.moment
        action = await self._think(think)
        self.check(message.at)
        self.game.play(action, by_agent=True)
        self._tell_all(message, asker)

    async def _think(self, think: Callable[[], T]) -> T:
        """Think in a thread, so that the table stays at hand; one thought at a time."""
        if not self.game.moves():
            raise RefusedError("there is nothing to play")
        if self._mind.locked():
            raise RefusedError("an agent is thinking already")
        return await asyncio.to_thread(self._alone, think)

    def _alone(self, think: Callable[[], T]) -> T:
        """Think while nobody else does, also after the page that asked is gone."""
        with self._mind:
            return think()


class Rooms:
    """The games in play, by their ids.

    Args:
        players: the agents that there are.
    """

    def __init__(self, players: Players) -> None:
        self._players = players
        self._rooms: OrderedDict[str, Room] = OrderedDict()

    def open(
        self, game: str | None, saved: Json | None, variant: str, deal: int | None
    ) -> tuple[Room, str]:
        """Find a game, or restore it from what its page kept, or deal one.

        Args:
            game: its id.
            saved: what its page kept of it.
            variant: of a new game.
            deal: of a new game; None: any.

        Returns:
            The game, and what went wrong with what the page kept.
        """
        if game in self._rooms:
            self._rooms.move_to_end(game)
            return self._rooms[game], ""
        restored, refused = self._restore(saved)
        room = Room(game or token_hex(16), restored or Game(variant, deal), self._players)
        self._keep(room)
        return room, refused

    def _restore(self, saved: Json | None) -> tuple[Game | None, str]:
        if saved is None:
            return None, ""
        try:
            return Game.from_json(saved), ""
        except RefusedError as error:
            return None, f"the game could not be resumed: {error}"

    def _keep(self, room: Room) -> None:
        """Keep a game; forget the oldest that nobody looks at."""
        self._rooms[room.id] = room
        idle = [each for each in self._rooms.values() if not each.pages and each is not room]
        if len(self._rooms) > MAX_ROOMS and idle:
            del self._rooms[idle[0].id]
