// A won game: the cards leap from the foundations and leave the table.

import {cardRect} from "/layout.js";
import {newCard} from "/table.js";

const GRAVITY = 0.55;
const BOUNCE = 0.74;
const EVERY = 3;
const LONGEST = 7000;
const RANKS = "A23456789TJQK";

/** The cards of the foundations in the order of their leaps: Kings first, from pile to pile. */
const waiting = (table) => {
  const piles = table.view.piles.filter(({kind}) => kind === "foundation");
  const cards = [];
  for (let height = RANKS.length; height > 0; height -= 1) {
    for (const pile of piles) {
      const rect = cardRect(table.layout, pile.id, 0);
      if (pile.count >= height) cards.push({name: RANKS[height - 1] + pile.suit, rect});
    }
  }
  return cards;
};

const leap = (table, {name, rect}, index) => {
  const {node} = newCard(table.felt, name, table.layout.compact);
  node.classList.add("leaping");
  node.style.width = `${rect.w}px`;
  node.style.height = `${rect.h}px`;
  const side = index % 2 ? 1 : -1;
  return {node, x: rect.x, y: rect.y, dx: side * (2.5 + (index * 7) % 6), dy: -4 - (index * 5) % 9};
};

/** Move a card on; false once it has left the table. */
const fly = (table, card) => {
  card.dy += GRAVITY;
  card.x += card.dx;
  card.y += card.dy;
  const floor = table.layout.height - table.layout.tall;
  if (card.y > floor && card.dy > 0) {
    card.y = floor;
    card.dy *= -BOUNCE;
  }
  card.node.style.transform = `translate(${card.x}px,${card.y}px)`;
  return card.x > -table.layout.card && card.x < table.layout.width;
};

/** Let the cards leap; the promise is kept when the table is clear, or at a key or click. */
export const celebrate = (table) => new Promise((done) => {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const cards = still ? [] : waiting(table);
  const tops = table.cards.map(({node}) => node);
  const start = performance.now();
  let flying = [], frame = 0, next = 0, ended = still;
  const end = () => { ended = true; };
  document.addEventListener("pointerdown", end, {once: true});
  document.addEventListener("keydown", end, {once: true});
  const step = () => {
    if (frame % EVERY === 0 && next < cards.length) {
      flying.push(leap(table, cards[next], next));
      next += 1;
    }
    frame += 1;
    if (next === cards.length) for (const node of tops) node.classList.add("gone");
    flying = flying.filter((card) => fly(table, card) || (card.node.remove(), false));
    const over = next === cards.length && !flying.length;
    if (ended || over || performance.now() - start > LONGEST) {
      for (const {node} of flying) node.remove();
      for (const node of tops) node.classList.remove("gone");
      done();
    } else {
      requestAnimationFrame(step);
    }
  };
  step();
});
