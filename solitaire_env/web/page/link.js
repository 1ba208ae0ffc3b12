// The connection: it says what the server says, and comes back when it breaks.

import {keep, load} from "/store.js";

const KEPT = "solitaire-env";

/** What this browser has kept of its game: {game, saved}, or nothing. */
const kept = () => {
  try {
    return JSON.parse(load(KEPT)) || {};
  } catch {
    return {};
  }
};

/** What the address asks for: "#variant/deal", each part optional. */
const wanted = () => {
  const [variant, deal] = location.hash.slice(1).split("/");
  return {variant: variant || null, deal: deal || null};
};

const isWanted = (saved, {variant, deal}) =>
  (!variant || saved.variant === variant) && (!deal || saved.deal === deal);

const isInPlay = ({can_undo: begun, outcome}) => begun && !outcome;

export class Link {
  /**
   * @param {(message: object) => void} hear takes what the server says
   * @param {(lost: boolean) => void} lose learns whether the connection is lost
   * @param {(wish: object) => void} choose learns of a deal that would end the game in play
   */
  constructor(hear, lose, choose) {
    Object.assign(this, {hear, lose, choose});
    this.wait = 250;
    this.number = 0;
    this.fresh = true;
    this.causes = [() => history.replaceState(null, "", "#"), () => keep(KEPT, null)];
    this.asked = 0;
    this.forget();
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(`ws://${location.host}/play`);
    this.socket.onopen = () => this.open();
    this.socket.onmessage = (event) => this.take(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.forget();
      this.lose(true);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, 4000);
    };
  }

  /** Forget what was asked for and is not answered: nothing is asked before a table is shown. */
  forget() {
    this.shows = false;
    this.queue = [];
    this.sent = null;
  }

  open() {
    const {game = null, saved = null} = kept();
    const {variant, deal} = wanted();
    const first = document.getElementById("variants").value;
    this.send({do: "open", game, saved, variant: variant || first, deal});
  }

  take(message) {
    if (message.is === "table") {
      this.takeTable(message);
      return;
    }
    if (message.is === "refusal") this.beginAnew();
    this.hear(message);
  }

  takeTable(message) {
    this.wait = 250;
    this.lose(false);
    this.number = message.number;
    keep(KEPT, JSON.stringify({game: message.game, saved: message.saved}));
    const wish = this.otherDeal(message);
    if (wish && !isInPlay(message)) {
      this.send(wish);
      return;
    }
    history.replaceState(null, "", `#${message.variant}/${message.deal}`);
    const answered = this.sent && message.answers === this.sent.ask;
    if (answered) this.settle(message);
    this.hear(message);
    this.shows = true;
    if (answered) this.sendNext();
    if (wish) this.choose(wish);
  }

  /** Take the answer to a queued request: one that came late is made again, about this table. */
  settle(message) {
    const {at, make} = this.sent;
    this.sent = null;
    if (!message.refused || message.number === at) return;
    message.refused = "";
    this.queue.unshift(make);
  }

  /**
   * Ask for something once all that was asked before is answered, unless the server is away.
   * @param {() => object | null} make gives the request about the table of then
   */
  later(make) {
    if (!this.shows) return;
    this.queue.push(make);
    if (!this.sent) this.sendNext();
  }

  sendNext() {
    let make = null, request = null;
    while (this.queue.length && !request) {
      make = this.queue.shift();
      request = make();
    }
    if (!request) return;
    this.asked += 1;
    this.sent = {ask: this.asked, at: this.number, make};
    this.send({ask: this.asked, ...request});
  }

  /** One of them opens no game: forget what the address asks for, and then what was kept. */
  beginAnew() {
    const forget = this.causes.shift();
    if (!forget) return;
    forget();
    this.open();
  }

  /** The request for the deal of the address, if the first table is another; else null. */
  otherDeal(message) {
    const {variant, deal} = wanted();
    const other = this.fresh && !isWanted(message, {variant, deal});
    this.fresh = false;
    return other ? {do: "deal", variant: variant || message.variant, deal} : null;
  }

  /** Send a request about the table as it is shown. */
  send(request) {
    if (this.socket.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({at: this.number, ...request}));
    }
  }
}
