// What can be taken and where it may go: read from the server's legal moves, and nowhere else.

/** The moves of the topmost `count` cards of a pile. */
export const offers = (table, pile, count) =>
  table.moves.filter((move) => move.count === count && move.from.includes(pile));

/** The counts of cards that can be taken off a pile, few first. */
export const counts = (table, pile) => {
  const found = table.moves.filter((move) => move.from.includes(pile)).map((move) => move.count);
  return [...new Set(found)].sort((a, b) => a - b);
};

/** How many cards a touch of the card that has `above` cards on it takes; 0 if it can't be taken. */
export const grasp = (table, pile, above) =>
  counts(table, pile).find((count) => count > above) || 0;

/** The piles on which some of these moves end. */
export const targets = (moves) => [...new Set(moves.flatMap((move) => move.to))];

/** The move among these that ends on a pile. */
export const moveTo = (moves, pile) => moves.find((move) => move.to.includes(pile));

/** The move that plays a pile's top card to the foundations, if there is one. */
export const moveUp = (table, pile) => {
  const kinds = new Map(table.piles.map(({id, kind}) => [id, kind]));
  return offers(table, pile, 1).find((move) => move.to.every((to) => kinds.get(to) === "foundation"));
};

/** The move of the stock: a draw or a redeal. */
export const stockMove = (table) => table.moves.find((move) => move.from.includes("stock"));
