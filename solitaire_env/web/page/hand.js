// The hand: dragging, clicking, double clicking. What may go where is in offers.js.

import {cardRect, groupRect} from "/layout.js";
import {grasp, moveTo, moveUp, offers, targets} from "/offers.js";

const FAR = 6;
const TWICE = 350;

const overlap = (a, b) =>
  Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));

export class Hand {
  /**
   * @param {import("/table.js").Table} table where cards lie
   * @param {(move: object) => void} play plays a legal move
   * @param {() => void} draw plays the stock, after all draws before
   */
  constructor(table, play, draw) {
    Object.assign(this, {table, play, draw});
    this.held = null;
    this.drag = null;
    this.last = {pile: null, time: 0};
    const felt = table.felt;
    felt.addEventListener("pointerdown", (event) => this.down(event));
    felt.addEventListener("pointermove", (event) => this.move(event));
    felt.addEventListener("pointerup", (event) => this.up(event));
    felt.addEventListener("pointercancel", () => this.release());
  }

  /** Take the topmost `count` cards of a pile, and light where they may go; false if they can't. */
  take(pile, count) {
    this.letGo();
    const moves = count ? offers(this.table.view, pile, count) : [];
    if (!moves.length) return false;
    this.held = {pile, count, moves};
    this.table.light("taken", pile, count);
    for (const target of targets(moves)) this.table.light("lit", target);
    return true;
  }

  /** Let go of what is held. */
  letGo() {
    this.held = null;
    this.table.clearMarks("taken");
    this.table.clearMarks("lit");
  }

  /** Lay what is held on a pile, if it may go there. */
  lay(pile) {
    const move = this.held && moveTo(this.held.moves, pile);
    if (move) this.playNow(move);
    return Boolean(move);
  }

  playNow(move) {
    this.last.pile = null;
    this.letGo();
    this.play(move);
  }

  /** Go on with another table: a click that has begun counts if its pile still offers it. */
  renew() {
    const {drag, table} = this;
    this.letGo();
    if (!drag || drag.pile === "stock") return;
    if (drag.group || !offers(table.view, drag.pile, drag.count).length) this.drag = null;
  }

  down(event) {
    const node = event.target.closest("[data-pile]");
    if (event.button || !node || !this.table.view) return;
    const {pile} = node.dataset;
    const cards = this.table.view.piles.find(({id}) => id === pile).cards;
    const index = Number(node.dataset.index ?? cards.length - 1);
    const count = grasp(this.table.view, pile, cards.length - 1 - index);
    this.drag = {pile, count, x: event.clientX, y: event.clientY, group: null};
    this.table.felt.setPointerCapture(event.pointerId);
  }

  move(event) {
    const {drag} = this;
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.group && (Math.hypot(dx, dy) < FAR || !this.lift())) return;
    for (const {node, rect} of drag.group) {
      node.style.transform = `translate(${rect.x + dx}px,${rect.y + dy}px)`;
    }
    drag.dx = dx;
    drag.dy = dy;
  }

  /** Begin to drag, if there is anything to drag. */
  lift() {
    const {drag, table} = this;
    if (drag.pile === "stock" || !this.take(drag.pile, drag.count)) return false;
    drag.group = table.group(drag.pile, drag.count).map(({node, index}) => {
      node.classList.add("held");
      return {node, rect: cardRect(table.layout, drag.pile, index)};
    });
    return true;
  }

  up() {
    const {drag} = this;
    this.drag = null;
    if (!drag) return;
    if (!drag.group) this.click(drag);
    else if (!this.drop(drag)) this.putBack(drag);
  }

  release() {
    const {drag} = this;
    this.drag = null;
    if (drag && drag.group) this.putBack(drag);
  }

  /** Lay the dragged cards on the lit pile that they cover most. */
  drop({group, dx, dy}) {
    const {rect} = group[0];
    const here = {...rect, x: rect.x + dx, y: rect.y + dy};
    const covered = targets(this.held.moves)
      .map((pile) => [overlap(here, groupRect(this.table.layout, pile, Infinity)), pile])
      .sort(([a], [b]) => b - a);
    return covered[0][0] > 0 && this.lay(covered[0][1]);
  }

  putBack({group}) {
    for (const {node, rect} of group) {
      node.classList.remove("held");
      node.style.transform = `translate(${rect.x}px,${rect.y}px)`;
    }
    this.letGo();
  }

  playStock() {
    this.letGo();
    this.draw();
  }

  click({pile, count}) {
    const now = performance.now();
    const again = this.last.pile === pile && now - this.last.time < TWICE;
    const view = this.table.view;
    if (this.lay(pile)) return;
    this.last = {pile, time: now};
    if (pile === "stock") {
      this.playStock();
    } else if (again && moveUp(view, pile)) {
      this.playNow(moveUp(view, pile));
    } else if (this.held && this.held.pile === pile && this.held.count === count && !again) {
      this.letGo();
    } else {
      this.take(pile, count);
    }
  }
}
