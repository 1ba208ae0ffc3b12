"""The server of the table: who may talk to it, what it refuses, and how fast it answers."""

import http.client
import json
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter, sleep
from types import ModuleType
from typing import Any

import pytest

from solitaire_env import cli
from solitaire_env.render.felts import FELTS
from solitaire_env.variants import VARIANTS
from solitaire_env.web import serve
from tests.conftest import needs_module
from tests.web_pages import WON, served, won_game

FASTEST = 0.02
LIGHTEST = 300_000
FILES = ("end", "hand", "helper", "keys", "layout", "link", "offers", "store", "table", "victory")


@pytest.fixture(scope="module")
def client() -> ModuleType:
    """Give the client's side of WebSockets."""
    return needs_module("websockets.sync.client")


class Player:
    """A page's part of the conversation."""

    def __init__(self, socket_: Any) -> None:
        self.socket = socket_
        self.table: dict[str, Any] = {}

    def hear(self) -> dict[str, Any]:
        """Take the next message."""
        message = json.loads(self.socket.recv(120))
        if message["is"] == "table":
            self.table = message
        return message

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """Ask for something about the table that is shown; give the answer."""
        self.socket.send(json.dumps({"do": do, "at": self.table.get("number", 0), **more}))
        return self.hear()

    def open(self, **more: Any) -> dict[str, Any]:
        """Open a game."""
        return self.ask("open", **{"variant": WON["variant"], "deal": str(WON["deal"]), **more})


@pytest.fixture
def join(port: int, client: ModuleType) -> Any:
    """Give what connects to the server."""

    @contextmanager
    def connect(**more: Any) -> Iterator[Player]:
        options = {"origin": f"http://127.0.0.1:{port}", **more}
        with client.connect(f"ws://127.0.0.1:{port}/play", **options) as line:
            yield Player(line)

    return connect


def get(port: int, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    """Ask for a path."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    line.request("GET", path, headers=headers)
    return line.getresponse()


def test_the_page_loads_lightly(port: int) -> None:
    """All its files together are under 300 KB, none from elsewhere."""
    page = get(port).read().decode()
    files = ["/felts.css", "/page.css", "/main.js"]
    files += [f"/{name}.js" for name in FILES]
    total = len(page) + sum(len(get(port, file).read()) for file in files)
    assert total < LIGHTEST
    assert all(get(port, file).status == 200 for file in files)
    assert all(get(port, f"/rules/{name}").status == 200 for name in VARIANTS)
    print(f"{total} bytes")
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert all(name in page for name in (*VARIANTS, *FELTS))


@pytest.mark.parametrize(
    "path", ["/index.html", "/../pyproject.toml", "/%2e%2e/cli.py", "/page/main.js", "//etc/passwd"]
)
def test_there_are_no_other_paths(port: int, path: str) -> None:
    """Only the page's files are served, by their own names."""
    assert get(port, path).status == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Host": "evil.example:80"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_foreign_hosts_and_origins_are_refused(port: int, headers: dict[str, str]) -> None:
    """A request under another name, or of another site's page, gets nothing."""
    answer = get(port, **headers)
    assert answer.status == 403
    assert b"card" not in answer.read()


def test_the_policy_forbids_what_is_not_ours(port: int) -> None:
    """The page may run and load nothing but its own files."""
    headers = get(port).headers
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("origin", [None, "http://evil.example", "http://127.0.0.1:1", "null"])
def test_foreign_pages_open_no_game(join: Any, origin: str | None) -> None:
    """A WebSocket needs this page's Origin."""
    invalid = needs_module("websockets.exceptions").InvalidStatus
    with pytest.raises(invalid, match="403"), join(origin=origin):
        pass


def test_a_move_and_back(join: Any) -> None:
    """A move is played, undone and played again; the number changes each time."""
    with join() as player:
        first = player.open()
        second = player.ask("move", action=WON["actions"][0])
        back = player.ask("undo")
        assert back["piles"] == first["piles"]
        assert player.ask("redo")["piles"] == second["piles"]
        assert player.ask("restart")["piles"] == first["piles"]
        assert not player.table["refused"]
        assert len({first["number"], second["number"], back["number"]}) == 3


def test_stale_and_illegal_moves_are_refused(join: Any) -> None:
    """The table comes again, as it is, with the reason."""
    with join() as player:
        first = player.open()
        legal = {move["action"] for move in first["moves"]}
        for action in set(range(130)) - legal:
            answer = player.ask("move", action=action)
            assert "not legal" in answer["refused"]
            assert answer | {"refused": "", "seconds": 0} == first | {"seconds": 0}
            sleep(0.035)
        player.ask("move", action=WON["actions"][0])
        player.table["number"] = first["number"]
        assert "changed in the meantime" in player.ask("move", action=WON["actions"][1])["refused"]
        assert player.table["told"]["moves"] == 1


def test_two_pages_see_one_game(join: Any) -> None:
    """A move of one is shown on both; of two moves at once the later is refused."""
    with join() as one, join() as two:
        game = one.open()["game"]
        assert two.open(game=game)["piles"] == one.table["piles"]
        for player in (one, two):
            request = {"do": "move", "at": player.table["number"], "action": WON["actions"][0]}
            player.socket.send(json.dumps(request))
        told = [one.hear(), two.hear()]
        refused = two.hear() if not two.table["refused"] else told[1]
        assert told[0]["told"]["moves"] == 1
        assert bool(refused["refused"]) or bool(one.hear()["refused"])
        assert one.table["number"] == two.table["number"]


def test_an_answer_names_its_request(join: Any) -> None:
    """Done or refused, to the page that asked; what another page is told answers nothing."""
    with join() as one, join() as two:
        two.open(game=one.open()["game"])
        assert one.ask("move", action=WON["actions"][0], ask=5)["answers"] == 5
        assert two.hear()["answers"] == 0
        for request in ({"do": "redo"}, {"do": "deal", "variant": "arabella", "deal": "<b>"}):
            refused = one.ask(**request, ask=6)
            assert refused["refused"]
            assert refused["answers"] == 6


def test_an_unknown_game_is_restored(join: Any) -> None:
    """From what its page kept; with a forged move a new game is dealt, and it is said."""
    saved = won_game(30).to_json()
    with join() as player:
        table = player.open(game="f" * 32, saved=saved)
        assert table["game"] == "f" * 32
        assert table["told"]["moves"] == 30
    with join() as player:
        table = player.open(game="e" * 32, saved=saved | {"actions": [1, 2, 3]})
        assert table["told"]["moves"] == 0
        assert "could not be resumed" in player.hear()["refused"]


@pytest.mark.parametrize("text", ["", "{}", "[" * 60_000, '{"do": "open"}', b"\x00\xff"])
def test_malformed_messages_do_no_harm(join: Any, text: str | bytes) -> None:
    """They are refused before and after a game is open, which goes on."""
    with join() as player:
        player.socket.send(text)
        assert player.hear()["refused"]
        first = player.open()
        player.socket.send(text)
        answer = player.hear()
        assert answer["refused"]
        assert answer["piles"] == first["piles"]
        assert not player.ask("move", action=WON["actions"][0])["refused"]


def test_oversized_messages_cut_the_line(join: Any) -> None:
    """A message of a megabyte ends its connection, and nothing else."""
    closed = needs_module("websockets.exceptions").ConnectionClosed
    with join() as player, join() as other:
        game = player.open()["game"]
        player.socket.send(" " * 2**20)
        with pytest.raises(closed):
            player.hear()
        assert other.open(game=game)["told"]["moves"] == 0


def flood(player: Player, answers: list[Any]) -> None:
    """Send a thousand messages, and collect the answers."""
    for _ in range(1000):
        player.socket.send('{"do": "undo", "at": 0}')
    while len(answers) < 1000:
        answers.append(player.hear())


def test_a_flood_cuts_the_line(join: Any) -> None:
    """Of a thousand messages at once few are answered; others are served meanwhile."""
    closed = needs_module("websockets.exceptions").ConnectionClosed
    with join() as player, join() as other:
        game = player.open()["game"]
        answers: list[Any] = []
        with pytest.raises(closed, match="too many"):
            flood(player, answers)
        assert len(answers) < 300
        start = perf_counter()
        assert other.open(game=game)["told"]["moves"] == 0
        assert perf_counter() - start < 1


def test_a_move_is_quick(join: Any) -> None:
    """The median round trip of a game's moves is under 20 ms."""
    times = []
    with join() as player:
        player.open()
        for action in WON["actions"][:80]:
            start = perf_counter()
            player.ask("move", action=action)
            times.append(perf_counter() - start)
            sleep(0.02)
        assert player.table["told"]["moves"] == 80
    print(f"median {1000 * median(times):.1f} ms")
    assert median(times) < FASTEST


def test_agents_advise_and_play(join: Any) -> None:
    """Probabilities of legal moves that sum to 1; a choice; a move that counts as the agent's."""
    with join() as player:
        player.open()
        advice = player.ask("advise", agent="random")
        legal = {move["action"] for move in player.table["moves"]}
        assert advice["agent"] == "random"
        assert {action for action, _ in advice["chances"]} <= legal
        assert sum(chance for _, chance in advice["chances"]) == pytest.approx(1)
        assert player.ask("advise", agent="random")["choice"] == advice["choice"]
        table = player.ask("agent", agent="random")
        assert table["saved"]["actions"] == [advice["choice"]]
        assert table["saved"]["by_agent"] == [0]


def test_agents_are_those_of_the_list(join: Any) -> None:
    """A page can name no module, and so run no code."""
    with join() as player:
        player.open()
        for name in ("os:getcwd", "agents.greedy:make", "<b>", "no"):
            assert "accepted are" in player.ask("advise", agent=name)["refused"]


def test_a_failing_agent_does_no_harm(client: ModuleType) -> None:
    """One that was named and can't be loaded is refused by name; no other gives its hints."""
    with (
        served(agent="nowhere:<i>make</i>") as port,
        client.connect(f"ws://127.0.0.1:{port}/play", origin=f"http://127.0.0.1:{port}") as line,
    ):
        player = Player(line)
        player.open()
        page = get(port).read().decode()
        assert "nowhere:&lt;i&gt;make&lt;/i&gt;" in page
        assert "<i>make" not in page
        assert "can't play" in player.ask("advise", agent="nowhere:<i>make</i>")["refused"]
        assert "can't play" in player.ask("advise")["refused"]
        assert player.ask("advise", agent="random")["agent"] == "random"


def test_a_replay_is_told(join: Any) -> None:
    """The record and the page of the game so far."""
    with join() as player:
        player.open(game="d" * 32, saved=won_game().to_json())
        told = player.ask("replay", felt="midnight-navy")
        assert json.loads(told["record"])["actions"] == WON["actions"]
        assert told["page"].startswith("<!DOCTYPE html>")
        assert told["name"] == "pantagruel-turn3-56"


def test_a_busy_port_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """The command names a port that is free."""
    needs_module("starlette")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        taken = busy.getsockname()[1]
        assert cli.main(["play", "arabella", "--port", str(taken), "--no-browser"]) == 2
    said = capsys.readouterr().err
    assert f"port {taken}" in said
    free = int(said.partition("--port ")[2].partition(",")[0])
    with serve.listen(free) as listener:
        assert listener.getsockname() == ("127.0.0.1", free)


@pytest.mark.parametrize("agent", ["nobody", "nowhere:make", "os:getcwd"])
def test_an_agent_that_is_none_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], agent: str
) -> None:
    """The command ends with one line before it serves."""
    needs_module("starlette")
    monkeypatch.setattr(serve, "listen", lambda port: pytest.fail("it serves"))
    assert cli.main(["play", "arabella", "--agent", agent, "--no-browser"]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    assert repr(agent) in said.err


@pytest.mark.parametrize("port", [-1, 65536])
def test_what_is_no_port_is_refused(port: int) -> None:
    """Ports are 0..65535."""
    with pytest.raises(ValueError, match=r"0\.\.65535"):
        serve.listen(port)


def test_without_a_browser_the_address_is_enough(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where none opens, or the search for one fails, it is said."""

    def fail(address: str) -> bool:
        raise webbrowser.Error(address)

    for missing in (lambda address: False, fail):
        monkeypatch.setattr(webbrowser, "open", missing)
        serve.open_browser("http://127.0.0.1:1/")
        assert "No browser was found" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["starlette", "uvicorn", "websockets"])
def test_a_missing_extra_is_named(name: str) -> None:
    """The command says what to install, and other commands need none of it."""
    code = f"import sys; sys.modules[{name!r}] = None; from solitaire_env.cli import main; "
    for arguments, status in ((["play", "arabella", "--no-browser"], 2), (["list"], 0)):
        command = [sys.executable, "-c", code + f"sys.exit(main({arguments!r}))"]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert result.returncode == status
        if status:
            assert "pip install 'solitaire-env[web]'" in result.stderr
