"""Pictures of the table: what is seen, in which size, and what happens without a display."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from solitaire_env import VARIANTS, register
from solitaire_env.cards import RANKS, SUITS
from solitaire_env.render.atlas import IVORY, card_atlas, index_height, index_width
from solitaire_env.render.felts import FELTS
from solitaire_env.render.shapes import SUIT_POLYGONS
from solitaire_env.render.table import draw_table, table_layout
from tests.helpers import (
    ROOT,
    bare,
    every_variant,
    make,
    make_vec,
    nearly_won,
    random_legal,
)
from tests.tiny_games import TINY_GAMES

GOLDEN = ROOT / "tests" / "golden" / "pictures"
FELT = "emerald-green"
TILE = 8
TOLERANCE = 8
"""Of a thumbnail's pixel, 0..255: what another NumPy may round otherwise."""

PACK = [rank + suit for suit in SUITS for rank in RANKS]


def scenes(name: str) -> dict[str, np.ndarray]:
    """Draw a game at the deal, after 60 random moves, and won; a felt each."""
    env = bare(name)
    env.reset(options={"deal": 7})
    positions = [env.position()]
    rng = np.random.default_rng(7)
    for _ in range(60):
        if env.action_masks().any():
            env.step(random_legal(env.action_masks(), rng))
    positions.append(env.position())
    env.reset(options={"position": nearly_won(VARIANTS[name], 1)})
    last = next(move for move in env.legal_moves() if move.target == "F")
    assert env.step(env.action_of(last))[-1]["outcome"] == "won"
    positions.append(env.position())
    moments = zip(("deal", "later", "won"), positions, FELTS, strict=True)
    return {when: draw_table(VARIANTS[name], where, felt) for when, where, felt in moments}


def thumbnail(name: str) -> np.ndarray:
    """Draw the scenes of a game one below the other, a pixel the mean of a tile: (300, 160, 3)."""
    frames = np.concatenate(list(scenes(name).values()))
    height, width = frames.shape[0] // TILE, frames.shape[1] // TILE
    tiles = frames.reshape(height, TILE, width, TILE, 3)
    return tiles.mean((1, 3)).round().astype(np.uint8)


@every_variant
def test_pictures_are_the_golden_ones(name: str, needs: Callable[[str], ModuleType]) -> None:
    """Deal, later and won look as they did when a person last looked at them.

    After a look, write them anew: `python -m tests.test_render`.
    """
    with needs("PIL.Image").open(GOLDEN / f"{name}.png") as image:
        golden = np.asarray(image).astype(int)
    off = np.abs(thumbnail(name) - golden).max(axis=2)
    assert off.max() <= TOLERANCE, np.argwhere(off > TOLERANCE).tolist()


def test_a_missing_rank_is_noticed() -> None:
    """The thumbnails are fine enough: a rank that is missing shows."""
    sheet, env = VARIANTS["san-juan-hill"], bare("san-juan-hill")
    env.reset(options={"deal": 7})
    frame = draw_table(sheet, env.position(), FELT)
    row, left = table_layout(sheet).columns[0]
    frame[row + 5 : row + 5 + index_height(100), left + 6 : left + 20] = IVORY
    other = draw_table(sheet, env.position(), FELT)
    tiles = [each.reshape(100, TILE, 160, TILE, 3).mean((1, 3)) for each in (frame, other)]
    assert np.abs(tiles[0] - tiles[1]).max() > 3 * TOLERANCE


@every_variant
def test_frames_are_fresh_arrays_of_one_size(name: str) -> None:
    """`render()` gives (800, 1280, 3) uint8, a new one each time, whatever lies on the table."""
    env = make(name, render_mode="rgb_array")
    env.reset(options={"deal": 1})
    first, again = env.render(), env.render()
    assert isinstance(first, np.ndarray)
    assert isinstance(again, np.ndarray)
    assert (first.shape, first.dtype) == ((800, 1280, 3), np.uint8)
    assert np.array_equal(first, again)
    assert not np.shares_memory(first, again)
    env.step(random_legal(env.unwrapped.action_masks(), np.random.default_rng(1)))
    later = env.render()
    assert isinstance(later, np.ndarray)
    assert later.shape == first.shape
    assert not np.array_equal(later, first)


@pytest.mark.parametrize("sheet", TINY_GAMES, ids=lambda sheet: sheet.name)
def test_any_registered_sheet_has_a_picture(sheet: Any) -> None:
    """Fewer suits, ranks and columns, a reserve beside a stock: all have their place."""
    env = gym.make(register(sheet), render_mode="rgb_array")
    env.reset(seed=1)
    frame = env.render()
    assert isinstance(frame, np.ndarray)
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 100


@every_variant
def test_no_two_piles_overlap(name: str) -> None:
    """Every pile has a place inside the picture that no other pile's deepest stand touches."""
    sheet = VARIANTS[name]
    layout = table_layout(sheet)
    atlas = card_atlas(layout.card_width, FELT)
    covered = np.zeros((layout.height, layout.width), np.int64)
    foundations = [place for places in layout.foundations.values() for place in places]
    plain = [*layout.reserve, *foundations, layout.kings, layout.stock]
    areas = [(place, 0, 0) for place in plain if place]
    areas += [(place, layout.step * (sheet.depth - 1), 0) for place in layout.columns]
    if layout.waste:
        areas.append((layout.waste, 0, layout.fan_step * (layout.fan - 1)))
    overlap = 2 if len(foundations) > 8 else 0
    for (row, left), deeper, wider in areas:
        area = covered[row : row + atlas.height + deeper, left : left + atlas.width + wider]
        assert area.shape == (atlas.height + deeper, atlas.width + wider)
        assert (area > 0).sum() <= overlap * atlas.height
        area += 1


def full_column(cards: list[str]) -> tuple[np.ndarray, Any]:
    """Draw Arabella with one column of these cards."""
    sheet = VARIANTS["arabella"]
    env = bare("arabella")
    env.reset(options={"deal": 0})
    position = env.position() | {"tableau": [cards, *([[]] * 12)]}
    return draw_table(sheet, position, FELT), table_layout(sheet)


@pytest.mark.parametrize("first", [0, 25, 27])
def test_every_index_is_seen_in_a_column_of_25(first: int) -> None:
    """However deep a card lies, its rank and suit are bare: pixel by pixel the atlas's own."""
    cards = PACK[first : first + 25]
    frame, layout = full_column(cards)
    atlas = card_atlas(layout.card_width, FELT)
    tall, wide = index_height(atlas.width), index_width(atlas.width)
    row, left = layout.columns[0]
    for place, card in enumerate(cards):
        top = row + place * layout.step
        corner = atlas.on_felt[1 + PACK.index(card)].reshape(atlas.height, atlas.width, 3)
        seen = frame[top + 5 : top + 5 + tall, left + 6 : left + wide]
        assert np.array_equal(seen, corner[5 : 5 + tall, 6:wide]), card
    assert row + 24 * layout.step + atlas.height <= frame.shape[0]


@every_variant
def test_all_indices_differ_and_are_drawn_whole(name: str) -> None:
    """No two cards have the same corner, and nothing of a sign touches the corner's rim."""
    atlas = card_atlas(table_layout(VARIANTS[name]).card_width, FELT)
    faces = atlas.on_felt[1:53].reshape(52, atlas.height, atlas.width, 3)
    tall, wide = index_height(atlas.width), index_width(atlas.width)
    corners = faces[:, 4 : 6 + tall, 5 : wide + 1].astype(int)
    assert len({corner.tobytes() for corner in corners}) == 52
    dark = corners.min(axis=3) < 150
    assert dark.sum((1, 2)).min() > 40
    for rim in (dark[:, 0], dark[:, -1], dark[:, :, 0], dark[:, :, -1]):
        assert not rim.any()


@pytest.mark.parametrize("felt", FELTS)
def test_felts_are_told_apart(felt: str) -> None:
    """The lower right corner, where no card lies, has the felt's colour."""
    env = bare("san-juan-hill", render_mode="rgb_array", felt=felt)
    env.reset(seed=1)
    red, green, blue = env.render()[-30:, -30:].reshape(-1, 3).mean(0)
    strongest = {"royal-crimson": red, "emerald-green": green, "midnight-navy": blue}
    assert strongest[felt] == max(red, green, blue)


def test_face_down_cards_show_no_face() -> None:
    """Two deals that differ only in hidden cards have the same picture."""
    env = bare("pantagruel-turn3", render_mode="rgb_array")
    env.reset(options={"deal": 3})
    first = env.render()
    env.reset(options={"position": env.determinize(1)})
    assert np.array_equal(env.render(), first)


def test_the_batch_gives_a_frame_a_game() -> None:
    """`render()` of a vector environment: a tuple, each frame as the single environment's."""
    envs = make_vec("arabella", 2, render_mode="rgb_array")
    envs.reset(options={"deals": np.array([4, 5])})
    frames = envs.render()
    assert isinstance(frames, tuple)
    single = bare("arabella", render_mode="rgb_array")
    single.reset(options={"deal": 5})
    assert np.array_equal(frames[1], single.render())


def test_gymnasiums_checker_accepts_the_pictures() -> None:
    """`check_env` renders in every mode."""
    check_env(bare("san-juan-hill", render_mode="rgb_array"))


def test_a_picture_needs_a_deal() -> None:
    """Before the first reset there is no table to draw."""
    with pytest.raises(ValueError, match="call reset first"):
        bare("arabella", render_mode="rgb_array").render()


def film(env: Any) -> None:
    """Play three steps and close, which ends a film."""
    _, info = env.reset(seed=1)
    for _ in range(3):
        _, _, _, _, info = env.step(np.asarray(info["action_mask"]).argmax(-1))
    env.close()


def test_record_video_makes_films(tmp_path: Path, needs: Callable[[str], ModuleType]) -> None:
    """Gymnasium's RecordVideo works on the single environment."""
    needs("moviepy")
    env = make("san-juan-hill", render_mode="rgb_array")
    film(gym.wrappers.RecordVideo(env, str(tmp_path), disable_logger=True))
    assert list(tmp_path.glob("*.mp4"))


@pytest.mark.skipif(
    not hasattr(gym.wrappers.vector, "RecordVideo"),
    reason=f"Gymnasium {gym.__version__} has no RecordVideo of a batch",
)
def test_record_video_of_a_batch_makes_films(
    tmp_path: Path, needs: Callable[[str], ModuleType]
) -> None:
    """Gymnasium's RecordVideo works on the batch, where there is one."""
    needs("moviepy")
    envs = make_vec("san-juan-hill", 2, render_mode="rgb_array")
    film(
        gym.wrappers.vector.RecordVideo(
            envs, str(tmp_path), video_aspect_ratio=(1, 1), disable_logger=True
        )
    )
    assert list(tmp_path.glob("*.mp4"))


@pytest.mark.parametrize("suit", SUIT_POLYGONS)
def test_the_polygons_of_a_suit_are_wound_one_way(suit: str) -> None:
    """An SVG leaves a hole where two overlap that are not."""
    areas = []
    for polygon in SUIT_POLYGONS[suit]:
        x, y = np.array(polygon).T
        areas.append(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    assert all(np.sign(area) == np.sign(areas[0]) for area in areas)


def write_golden() -> None:
    """Write the golden thumbnails, after a person has looked at the pictures."""
    from PIL import Image

    GOLDEN.mkdir(exist_ok=True)
    for name in VARIANTS:
        Image.fromarray(thumbnail(name)).save(GOLDEN / f"{name}.png", optimize=True)


if __name__ == "__main__":
    write_golden()


def test_a_position_with_more_piles_than_the_table_is_refused() -> None:
    """A column too many: nothing is ever written outside the picture."""
    env = make("san-juan-hill")
    env.reset(options={"deal": 3})
    position = env.unwrapped.position()
    wider = position | {"tableau": [*position["tableau"], ["AS"]]}
    with pytest.raises(ValueError, match="21 piles, accepted are at most 20"):
        draw_table(VARIANTS["san-juan-hill"], wider, FELT)
