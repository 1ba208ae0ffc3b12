// The table as elements: cards that glide to where they belong, lights, and the agent's arrows.

import {cardRect, groupRect, layOut} from "/layout.js";

const SVG = "http://www.w3.org/2000/svg";
const ASIDE = 260;
const PREFIX = "#c-";
const LOWEST = 320;
const FOOTER = 58;
const BELOW = "(max-width: 900px)"; // Where the agent's panel lies below the table,
const SHARE = 0.62; // it should be seen that there is more.

/** Make an element of a class within a parent. */
export const make = (name, kind, parent) => {
  const node = document.createElement(name);
  node.className = kind;
  return parent.appendChild(node);
};

const drawn = (name, attributes, parent) => {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return parent.appendChild(node);
};

const use = (svg, sign, x = 0, y = 0, scale = 1) =>
  drawn("use", {href: PREFIX + sign, transform: `translate(${x} ${y}) scale(${scale})`}, svg);

/** Draw a card's face; a compact one shows rank and suit alone, as large as they can be. */
const drawFace = (svg, name, compact) => {
  svg.replaceChildren();
  if (!compact || name.length > 2) {
    use(svg, name);
    return;
  }
  const [rank, suit] = name;
  use(svg, "blank");
  const ink = drawn("g", {color: "HD".includes(suit) ? "#b01226" : "#15110e"}, svg);
  use(ink, `r${rank}`, 7, 7, 46);
  use(ink, suit, 52, 8, 43);
  use(ink, suit, 24, 74, 52);
};

/** Make a card within a parent, its face drawn if it has a name. */
export const newCard = (parent, name = "", compact = false) => {
  const node = make("div", "card", parent);
  const svg = drawn("svg", {viewBox: "0 0 100 140"}, node);
  if (name) drawFace(svg, name, compact);
  return {node, svg};
};

const setRect = (node, {x, y, w, h}) => {
  node.style.transform = `translate(${x}px,${y}px)`;
  node.style.width = `${w}px`;
  node.style.height = `${h}px`;
};

export class Table {
  /** @param {HTMLElement} felt holds everything */
  constructor(felt) {
    this.felt = felt;
    this.slots = make("div", "slots", felt);
    this.pack = make("div", "pack", felt);
    this.marks = make("div", "marks", felt);
    this.arrows = drawn("svg", {}, this.marks);
    this.cards = [];
    this.view = null;
  }

  /** Let keys be about the table. */
  focus() {
    this.felt.focus({preventScroll: true});
  }

  /** Show a table; cards glide there, unless `at once`. */
  show(view, atOnce = false) {
    this.view = view;
    const top = this.felt.getBoundingClientRect().top + window.scrollY;
    const height = Math.max(LOWEST, window.innerHeight - top - FOOTER);
    this.layout = layOut(view, this.felt.parentElement.clientWidth, height);
    const least = matchMedia(BELOW).matches ? height * SHARE : height;
    this.layout.height = Math.max(this.layout.height, least);
    Object.assign(this.felt.dataset, {number: view.number, moves: view.told.moves});
    this.felt.style.height = `${this.layout.height}px`;
    this.felt.classList.toggle("at-once", atOnce);
    this.drawSlots();
    this.placeCards();
    this.clearMarks();
  }

  drawSlots() {
    this.slots.replaceChildren();
    for (const {pile} of this.layout.piles.values()) {
      const slot = make("div", `slot ${pile.kind}`, this.slots);
      slot.dataset.pile = pile.id;
      setRect(slot, cardRect(this.layout, pile.id, 0));
      if (!this.layout.compact && "TR".includes(pile.id[0])) make("span", "label", slot).textContent = pile.id;
      this.drawSign(drawn("svg", {viewBox: "0 0 100 140"}, slot), pile);
    }
  }

  drawSign(svg, pile) {
    if (pile.suit) use(svg, pile.suit, 25, 45, 50);
    if (pile.kind === "kings") use(svg, "rK", 34, 48, 44);
    if (pile.kind !== "stock" || pile.cards.length) return;
    const turns = this.view.moves.some((move) => move.from.includes("stock"));
    const path = turns ? "M72 62A25 25 0 1 0 75 76M75 48V64H59" : "M32 52L68 88M68 52L32 88";
    drawn("path", {d: path, class: "sign"}, svg);
  }

  /** Find an element for every card: the one that lies there, else one of that face, else a new one. */
  placeCards() {
    const wanted = this.view.piles.flatMap(({id, cards}) => cards.map((name, index) => ({id, index, name})));
    const free = new Set(this.cards);
    const claim = (want, fits) => {
      for (const card of free) {
        if (!fits(card, want)) continue;
        free.delete(card);
        want.card = card;
        return;
      }
    };
    const same = (card, want) => card.id === want.id && card.index === want.index && card.name === want.name;
    const alike = (card, want) => card.name === want.name && want.name !== "back";
    const turned = (card, want) => card.id === want.id && card.index === want.index && card.name === "back";
    for (const fits of [same, alike, turned]) {
      for (const want of wanted) if (!want.card) claim(want, fits);
    }
    this.cards = wanted.map((want) => this.place(want));
    for (const card of free) this.discard(card);
    this.drawCounts();
  }

  place({id, index, name, card: found}) {
    const card = found || this.comingCard(id);
    const moves = card.id !== id || card.index !== index;
    if (card.name !== name || card.compact !== this.layout.compact) {
      drawFace(card.svg, name, this.layout.compact);
      if (found && card.name === "back") this.flip(card);
    }
    Object.assign(card, {id, index, name, compact: this.layout.compact});
    card.node.dataset.pile = id;
    card.node.dataset.index = index;
    card.node.dataset.card = name;
    card.node.classList.remove("held");
    card.node.style.zIndex = moves && found ? 500 + index : 10 + index;
    clearTimeout(card.settle);
    card.settle = setTimeout(() => { card.node.style.zIndex = 10 + index; }, ASIDE);
    setRect(card.node, cardRect(this.layout, id, index));
    return card;
  }

  /** A card comes from the stock, where it goes to the waste; else it lies there at once. */
  comingCard(id) {
    const card = newCard(this.pack);
    if (id === "W" && this.layout.piles.has("stock")) {
      setRect(card.node, cardRect(this.layout, "stock", 0));
      card.node.getBoundingClientRect();
    }
    return card;
  }

  flip(card) {
    if (this.felt.classList.contains("at-once")) return;
    card.svg.animate([{transform: "scaleX(0)"}, {transform: "scaleX(1)"}], {duration: 180});
  }

  /** A card that is covered now stays until the one that covers it has come. */
  discard(card) {
    card.node.style.zIndex = 5;
    card.node.classList.add("leaving");
    card.node.removeAttribute("data-pile");
    clearTimeout(card.settle);
    setTimeout(() => card.node.remove(), this.felt.classList.contains("at-once") ? 0 : ASIDE);
  }

  drawCounts() {
    for (const {pile, x, y} of this.layout.piles.values()) {
      if (!["stock", "waste", "kings"].includes(pile.kind) || !pile.count) continue;
      const medal = make("span", "medal", this.slots);
      medal.textContent = pile.count;
      medal.style.transform = `translate(${x + this.layout.card / 2}px,${y + this.layout.tall}px) translate(-50%,-55%)`;
    }
  }

  /** The elements of the topmost `count` cards of a pile. */
  group(id, count) {
    const {cards} = this.view.piles.find((pile) => pile.id === id);
    return this.cards.filter((card) => card.id === id && card.index >= cards.length - count);
  }

  /** Light a pile's topmost cards: kinds are "lit", "taken", "hint" and "cursor". */
  light(kind, id, count = 1) {
    const mark = make("div", kind, this.marks);
    Object.assign(mark.dataset, {pile: id, count});
    setRect(mark, groupRect(this.layout, id, count));
  }

  /** Take lights away, of one kind or all. */
  clearMarks(kind = null) {
    for (const mark of this.marks.querySelectorAll(kind ? `.${kind}` : "div")) mark.remove();
    if (!kind) this.arrows.replaceChildren();
  }

  /** Draw what an agent would play, as arrows as thick as its probabilities. */
  drawAdvice(chosen) {
    this.arrows.replaceChildren();
    for (const [move, chance] of [...chosen].reverse()) this.drawArrow(move, chance);
  }

  drawArrow(move, chance) {
    const from = this.middle(move.from[0], move.count), to = this.middle(move.to[0], 1);
    if (move.from[0] === move.to[0]) to.x += 1;
    const bend = Math.min(60, Math.hypot(to.x - from.x, to.y - from.y) / 4);
    const path = `M${from.x} ${from.y}Q${(from.x + to.x) / 2} ${(from.y + to.y) / 2 - bend} ${to.x} ${to.y}`;
    const arrow = drawn("g", {class: "arrow", opacity: 0.7 + 0.3 * chance}, this.arrows);
    drawn("path", {d: path, class: "rim", "stroke-width": 6 + 8 * chance}, arrow);
    drawn("path", {d: path, "stroke-width": 3 + 8 * chance}, arrow);
    drawn("circle", {cx: from.x, cy: from.y, r: 4 + 3 * chance}, arrow);
    drawn("circle", {cx: to.x, cy: to.y, r: 17, class: "plate"}, arrow);
    drawn("text", {x: to.x, y: to.y}, arrow).textContent = `${Math.round(chance * 100)}%`;
  }

  middle(id, count) {
    const {x, y, w} = groupRect(this.layout, id, count);
    return {x: x + w / 2, y: y + this.layout.card * 0.35};
  }
}
