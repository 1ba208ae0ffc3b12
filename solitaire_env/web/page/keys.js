// The keyboard: a cursor on the piles, and a key for every button.

import {counts, moveUp, offers, targets} from "/offers.js";

const ACTS = {d: "draw", u: "undo", r: "redo", h: "hint", a: "advice", p: "autoplay", n: "new", "?": "help"};
const STEPS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
const SUITS = {S: "spades", H: "hearts", D: "diamonds", C: "clubs"};
const RANKS = {A: "ace", T: "10", J: "jack", Q: "queen", K: "king"};

const spoken = (card) => (card.length === 2 ? `${RANKS[card[0]] || card[0]} of ${SUITS[card[1]]}` : "face down");

const describe = ({id, kind, suit, cards, count}) => {
  const top = cards.length ? spoken(cards[cards.length - 1]) : "empty";
  if (kind === "stock" || kind === "kings") return `${kind}, ${count} cards`;
  if (kind === "foundation") return `foundation of ${SUITS[suit]}, ${top}`;
  if (kind === "waste") return `waste, ${top}, ${count} cards`;
  const more = cards.length > 1 ? `, ${cards.length} cards` : "";
  return `${kind === "tableau" ? "column" : "cell"} ${id}, ${top}${more}`;
};

const pressesButton = ({key, target}) => (key === "Enter" || key === " ") && target.closest("button");

export class Keys {
  /**
   * @param {import("/hand.js").Hand} hand takes and lays cards
   * @param {Record<string, () => void>} acts what the buttons do
   * @param {(words: string) => void} say is read aloud
   */
  constructor(hand, acts, say) {
    this.hand = hand;
    this.table = hand.table;
    this.acts = acts;
    this.say = say;
    this.cursor = null;
    document.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    const typing = event.target.closest("input, select, dialog[open]");
    if (typing || event.altKey || !this.table.view) return;
    if (event.ctrlKey || event.metaKey) {
      this.undoAsElsewhere(event);
      return;
    }
    const act = ACTS[event.key.toLowerCase()];
    if (act) this.acts[act]();
    else if (pressesButton(event) || !this.moveCards(event.key)) return;
    event.preventDefault();
  }

  undoAsElsewhere(event) {
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    this.acts[key === "y" || event.shiftKey ? "redo" : "undo"]();
    event.preventDefault();
  }

  moveCards(key) {
    if (STEPS[key]) this.step(...STEPS[key]);
    else if (key === "Enter" || key === " ") this.use();
    else if (key.toLowerCase() === "f") this.up();
    else if (key === "Escape") this.hand.letGo();
    else return false;
    return true;
  }

  /** Show the cursor again, after the table was drawn. */
  draw() {
    this.table.clearMarks("cursor");
    if (!this.cursor) return;
    if (!this.table.layout.piles.has(this.cursor.pile)) this.cursor = null;
    else this.table.light("cursor", this.cursor.pile, this.cursor.count);
  }

  put(pile, count = 1) {
    this.cursor = {pile, count};
    this.draw();
    const more = count > 1 ? `, ${count} of them` : "";
    this.say(describe(this.table.layout.piles.get(pile).pile) + more);
  }

  step(dx, dy) {
    this.table.focus();
    if (this.hand.held) this.stepLit(dx || dy);
    else if (!this.cursor) this.first();
    else if (dx) this.stepAside(dx);
    else if (!this.chooseCount(-dy)) this.stepRow(dy);
  }

  first() {
    const {rows} = this.table.layout;
    this.put(rows[rows.length - 1][0].id);
  }

  /** With cards in the hand the cursor goes to lit piles only. */
  stepLit(by) {
    const lit = targets(this.hand.held.moves);
    const at = lit.indexOf(this.cursor.pile);
    this.put(lit[at < 0 ? 0 : (at + by + lit.length) % lit.length]);
  }

  row() {
    return this.table.layout.rows.findIndex((row) => row.some(({id}) => id === this.cursor.pile));
  }

  stepAside(by) {
    const row = this.table.layout.rows[this.row()];
    const at = row.findIndex(({id}) => id === this.cursor.pile);
    this.put(row[(at + by + row.length) % row.length].id);
  }

  stepRow(by) {
    const {rows, piles} = this.table.layout;
    const row = rows[(this.row() + by + rows.length) % rows.length];
    const {x} = piles.get(this.cursor.pile);
    const away = ({id}) => Math.abs(piles.get(id).x - x);
    this.put(row.reduce((best, pile) => (away(pile) < away(best) ? pile : best)).id);
  }

  /** Choose more or fewer cards of a column, if there is a choice. */
  chooseCount(by) {
    const {pile, count} = this.cursor;
    const next = counts(this.table.view, pile).filter((other) => (other - count) * by > 0);
    if (!next.length || !pile.startsWith("T")) return false;
    this.put(pile, by > 0 ? next[0] : next[next.length - 1]);
    return true;
  }

  /** Take the cards at the cursor, or lay down those in the hand. */
  use() {
    if (!this.cursor) {
      this.first();
      return;
    }
    const {pile, count} = this.cursor, view = this.table.view;
    if (this.hand.held) {
      if (!this.hand.lay(pile)) this.hand.letGo();
    } else if (pile === "stock") {
      this.hand.playStock();
    } else {
      this.takeHere(pile, offers(view, pile, count).length ? count : counts(view, pile)[0]);
    }
  }

  takeHere(pile, count) {
    if (!this.hand.take(pile, count)) {
      this.say("nothing here can be moved");
      return;
    }
    this.cursor = {pile, count};
    this.stepLit(0);
  }

  up() {
    const move = this.cursor && moveUp(this.table.view, this.cursor.pile);
    if (move) this.hand.playNow(move);
    else this.say("that does not go to the foundations");
  }
}
