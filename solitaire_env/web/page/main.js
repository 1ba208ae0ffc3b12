// Wires the page: what the server says to the table, what the player does to the server.

import {clock, showEnd} from "/end.js";
import {Hand} from "/hand.js";
import {Helper} from "/helper.js";
import {Keys} from "/keys.js";
import {Link} from "/link.js";
import {stockMove} from "/offers.js";
import {keep, load} from "/store.js";
import {Table} from "/table.js";

const FELT = "solitaire-env-felt";
const find = (id) => document.getElementById(id);
const say = (words) => { find("said").textContent = words; };

const table = new Table(find("table"));
let shownAt = 0, wasOver = false;

const showTold = () => {
  const {told, score, seconds, clock_runs: runs, cards} = table.view;
  const now = seconds + (runs ? (performance.now() - shownAt) / 1000 : 0);
  const parts = {
    time: clock(now),
    score,
    streak: told.streak,
    moves: told.moves,
    cards: `${told.foundation_cards}/${cards}`,
  };
  if (table.layout.piles.has("stock")) {
    parts.redeals = told.redeals_left < 0 ? "any" : told.redeals_left;
    parts.pass = told.passes;
  }
  const list = find("told");
  list.replaceChildren();
  for (const [name, value] of Object.entries(parts)) {
    const part = list.appendChild(document.createElement("div"));
    part.appendChild(document.createElement("dt")).textContent = name;
    part.appendChild(document.createElement("dd")).textContent = value;
  }
};

const showButtons = ({can_undo: undo, can_redo: redo, moves}) => {
  const able = {undo, redo, restart: undo, hint: moves.length, draw: stockMove(table.view)};
  for (const button of document.querySelectorAll("[data-act]")) {
    if (button.dataset.act in able) button.disabled = !able[button.dataset.act];
  }
};

const showTable = (view) => {
  const another = !table.view || table.view.variant !== view.variant || table.view.deal !== view.deal;
  const same = table.view && table.view.number === view.number && !another;
  shownAt = performance.now();
  if (another) find("going").close();
  table.show(view, another);
  hand.renew();
  find("title").textContent = view.title;
  find("deal-number").textContent = `deal ${view.deal}`;
  document.title = `${view.title}, deal ${view.deal}`;
  showTold();
  showButtons(view);
  keys.draw();
  const none = !view.outcome && !view.moves.length ? "There is no legal move on this table." : "";
  say(view.refused || none || `${view.last[0].toUpperCase()}${view.last.slice(1)}.`);
  find("said").classList.toggle("refused", Boolean(view.refused));
  if (view.refused) helper.refuse(view.refused);
  if (!same) helper.follow();
  const over = Boolean(view.outcome);
  if (over && !wasOver) showEnd(table);
  if (!over && find("end").open) find("end").close();
  wasOver = over;
};

const download = (text, name, type) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

let asked = "record";
const takeReplay = ({name, record, page}) => {
  if (asked === "page") download(page, `${name}.html`, "text/html");
  else download(record, `${name}.json`, "application/json");
};

const hear = (message) => {
  if (message.is === "table") showTable(message);
  else if (message.is === "advice") helper.show(message);
  else if (message.is === "replay") takeReplay(message);
  else say(message.refused);
};

let wish = null;
const nameDeal = (title, deal) => (deal ? `${title}, deal ${deal}` : title);
const titleOf = (variant) => [...find("variants").options].find(({value}) => value === variant).text;

/** Ask whether a deal should end the game in play. */
const choose = (other) => {
  wish = other;
  const {title, deal, told} = table.view;
  find("in-play").textContent = `${nameDeal(title, deal)}, ${told.moves} move${told.moves === 1 ? "" : "s"}`;
  find("other").textContent = nameDeal(titleOf(wish.variant), wish.deal);
  find("going").showModal();
};

const link = new Link(hear, (lost) => { find("lost").hidden = !lost; }, choose);
const draw = () => link.later(() => {
  const move = stockMove(table.view);
  return move ? {do: "move", action: move.action} : null;
});
const hand = new Hand(table, (move) => link.send({do: "move", action: move.action}), draw);
const helper = new Helper(link, table, say);

const save = (form) => {
  asked = form;
  link.send({do: "replay", felt: document.documentElement.dataset.felt});
};
const closeAll = () => { for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close(); };
const dealNow = (request) => {
  link.later(() => request);
  closeAll();
  table.focus();
};
const acts = {
  undo: () => link.later(() => ({do: "undo"})),
  redo: () => link.later(() => ({do: "redo"})),
  restart: () => link.later(() => ({do: "restart"})),
  draw,
  hint: () => helper.hint(),
  advice: () => helper.toggleAdvice(),
  autoplay: () => helper.togglePlay(),
  save: () => save("record"),
  page: () => save("page"),
  close: closeAll,
  rules: () => window.open(`/rules/${table.view.variant}`, "_blank", "noopener"),
  help: () => find("help").showModal(),
  new: () => {
    closeAll();
    find("variants").value = table.view.variant;
    find("number").value = "";
    find("deal").showModal();
    find("number").focus();
  },
  deal: () => dealNow({do: "deal", variant: find("variants").value, deal: find("number").value.trim() || null}),
  "deal-other": () => dealNow(wish),
};
const keys = new Keys(hand, acts, say);

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  if (!button || button.disabled) return;
  // After a click, unlike a key, Enter is for the cursor on the table; `detail` counts clicks.
  if (event.detail && !button.closest("dialog")) table.focus();
  acts[button.dataset.act]();
});
find("number").onkeydown = (event) => { if (event.key === "Enter") acts.deal(); };
find("felts").onchange = (event) => chooseFelt(event.target.value);

const chooseFelt = (felt) => {
  document.documentElement.dataset.felt = felt;
  keep(FELT, felt);
};
const felts = [...find("felts").options].map(({value}) => value);
const chosen = load(FELT);
find("felts").value = felts.includes(chosen) ? chosen : document.documentElement.dataset.felt;
chooseFelt(find("felts").value);

setInterval(() => { if (table.view) showTold(); }, 500);
window.addEventListener("resize", () => {
  if (!table.view) return;
  hand.letGo();
  table.show(table.view, true);
  keys.draw();
  helper.draw();
});
