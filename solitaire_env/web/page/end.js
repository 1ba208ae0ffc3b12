// How a game ended: the ledger of a won one, the plain truth of a lost one.

import {make} from "/table.js";
import {celebrate} from "/victory.js";

const WORDS = {
  won: ["Won!", ""],
  stuck: ["No moves left", "No legal move is left on the table."],
  dead: ["No moves left", "Only the stock can still be turned, and none of the cards that it can bring goes anywhere."],
};
const find = (id) => document.getElementById(id);

export const clock = (seconds) => {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

/** Show how the game ended, a won one after its cards have leapt. */
export const showEnd = async (table) => {
  const view = table.view;
  if (view.outcome === "won") await celebrate(table);
  if (table.view !== view) return;
  const [title, text] = WORDS[view.outcome] || [view.outcome, ""];
  const helped = view.end.by_agent ? `${view.end.by_agent} of ${view.told.moves} moves were the agent's.` : "";
  find("end-title").textContent = title;
  find("honour").textContent = view.end.honour;
  find("end-text").textContent = `${text} ${helped}`.trim();
  fillLedger(view);
  if (!find("end").open) find("end").showModal();
};

const fillLedger = ({end, told, seconds, cards, score}) => {
  const ledger = find("ledger");
  ledger.replaceChildren();
  const line = (name, value, kind = "") => {
    const row = make("tr", kind, ledger);
    make("th", "", row).textContent = name;
    make("td", "", row).textContent = value;
  };
  if (end.ledger) {
    line("moves and cards", end.ledger.base);
    line("time bonus", end.ledger.bonus);
    line("streaks", end.ledger.streaks);
  }
  line("score", score, "total");
  line("time", clock(seconds));
  line("moves", told.moves);
  line("passes", told.passes);
  line("longest streak", told.longest_streak);
  line("on the foundations", `${told.foundation_cards} of ${cards}`);
};
