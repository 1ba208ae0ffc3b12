// Where everything lies: rectangles in pixels, for any width and height.

const TALL = 1.4;
const COMPACT = 58;
const WIDEST = 118;
const NARROW = 640;
const ASIDE = 0.34;
const ASIDE_COMPACT = 0.62;

/**
 * Lay a table out.
 * @param {object} table as the server told it
 * @param {number} width of the felt
 * @param {number} height that it should not exceed
 */
export const layOut = (table, width, height) => {
  const of = (...kinds) => table.piles.filter(({kind}) => kinds.includes(kind));
  const columns = of("tableau"), cells = of("reserve");
  const narrow = width < NARROW;
  const margin = narrow ? 3 : 16;
  const rows = 1 + (cells.length > 0) + narrow;
  const pitch = (width - 2 * margin) / Math.max(columns.length, cells.length);
  const fanned = of("waste").reduce((sum, {fan}) => sum + (fan - 1) * ASIDE, 0);
  const beside = of("stock", "waste").length, upper = of("kings", "foundation").length;
  const head = narrow ? upper * 1.06 : (upper + beside) * 1.1 + fanned;
  const fits = [
    pitch * (narrow ? 0.96 : 0.9),
    (width - 2 * margin) / head,
    WIDEST,
    Math.max(46, height / (rows + 2.6) / TALL),
  ];
  const card = Math.floor(Math.min(...fits));
  const tall = Math.round(card * TALL);
  const compact = card < COMPACT;
  const gap = Math.max(3, Math.round(card * 0.12));
  const layout = {card, tall, compact, gap, margin, width, piles: new Map(), rows: []};
  let top = narrow ? 6 : margin;
  top = layHead(layout, of, top, narrow);
  if (cells.length) top = row(layout, cells, top, pitch);
  row(layout, columns, top, pitch);
  layout.height = fan(layout, columns, Math.max(height, top + 2.2 * tall));
  return layout;
};

const put = (layout, pile, x, y) => {
  const place = {pile, x: Math.round(x), y: Math.round(y), steps: []};
  layout.piles.set(pile.id, place);
  place.steps = pile.cards.map(() => 0);
};

const across = (layout, piles, left, right, y, pitch) => {
  const room = right - left - layout.card;
  const step = piles.length > 1 ? Math.min(pitch, room / (piles.length - 1)) : 0;
  const start = right - layout.card - step * (piles.length - 1);
  piles.forEach((pile, index) => put(layout, pile, start + index * step, y));
};

/** Stock and waste to the left, foundations to the right; below them where it is narrow. */
const layHead = (layout, of, top, narrow) => {
  const {card, tall, gap, margin, width} = layout;
  const left = of("stock", "waste"), right = of("kings", "foundation");
  const below = narrow && left.length > 0;
  left.forEach((pile, index) => put(layout, pile, margin + index * (card + gap), top));
  const waste = layout.piles.get("W");
  if (waste) waste.fan = Math.round(card * (layout.compact ? ASIDE_COMPACT : ASIDE));
  const fanned = waste ? waste.fan * (waste.pile.fan - 1) : 0;
  const taken = left.length && !below ? 2 * card + 2 * gap + fanned : 0;
  const upper = below ? top + tall + 2 * gap : top;
  across(layout, right, margin + taken, width - margin, upper, card + gap);
  layout.rows.push(...(below ? [left, right] : [[...left, ...right]]));
  return upper + tall + (narrow ? 2 : 1.4) * gap + 8;
};

/** A centred row; gives the top of what lies below it. */
const row = (layout, piles, top, pitch) => {
  const {card, width, tall, gap} = layout;
  const step = Math.min(pitch, card * 1.3);
  const left = (width - step * (piles.length - 1) - card) / 2;
  piles.forEach((pile, index) => put(layout, pile, left + index * step, top));
  layout.rows.push(piles);
  return top + tall + 2 * gap;
};

/** Fan the columns, closer where a tall one would not fit; gives the height that is needed. */
const fan = (layout, columns, height) => {
  const {card, tall, compact, gap} = layout;
  const easy = {up: card * (compact ? 0.66 : 0.36), down: card * 0.2};
  const least = {up: card * (compact ? 0.5 : 0.225), down: card * 0.07};
  let needed = 0;
  for (const column of columns) {
    const place = layout.piles.get(column.id);
    const below = column.cards.slice(0, -1);
    const downs = below.filter((name) => name === "back").length, ups = below.length - downs;
    const room = height - place.y - tall - 2 * gap;
    const wish = downs * easy.down + ups * easy.up, need = downs * least.down + ups * least.up;
    const ease = wish > need ? Math.max(0, Math.min(1, (room - need) / (wish - need))) : 1;
    let y = 0;
    place.steps = column.cards.map((name) => {
      const here = y;
      const kind = name === "back" ? "down" : "up";
      y += least[kind] + (easy[kind] - least[kind]) * ease;
      return here;
    });
    const last = place.steps.length ? place.steps[place.steps.length - 1] : 0;
    needed = Math.max(needed, place.y + last + tall + 2 * gap);
  }
  return needed;
};

/** The rectangle of a card of a pile, or of its empty place. */
export const cardRect = (layout, id, index) => {
  const {pile, x, y, steps, fan: aside} = layout.piles.get(id);
  const place = Math.max(0, index);
  const shift = aside && pile.cards.length ? aside * place : 0;
  return {x: x + shift, y: y + (steps[place] || 0), w: layout.card, h: layout.tall};
};

/** The rectangle of the topmost `count` cards of a pile. */
export const groupRect = (layout, id, count) => {
  const {pile} = layout.piles.get(id);
  const last = cardRect(layout, id, pile.cards.length - 1);
  const first = cardRect(layout, id, Math.max(0, pile.cards.length - Math.max(1, count)));
  return {x: first.x, y: first.y, w: last.x + last.w - first.x, h: last.y + last.h - first.y};
};
