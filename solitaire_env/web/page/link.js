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

export class Link {
  /**
   * @param {(message: object) => void} hear takes what the server says
   * @param {(lost: boolean) => void} lose learns whether the connection is lost
   */
  constructor(hear, lose) {
    this.hear = hear;
    this.lose = lose;
    this.wait = 250;
    this.number = 0;
    this.fresh = true;
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
      this.wait = 250;
      this.lose(false);
      this.number = message.number;
      keep(KEPT, JSON.stringify({game: message.game, saved: message.saved}));
      if (this.dealsAnew(message)) return;
      history.replaceState(null, "", `#${message.variant}/${message.deal}`);
    }
    if (message.is === "refusal") this.beginAnew();
    const answered = this.sent && message.answers === this.sent.ask;
    if (answered) this.settle(message);
    this.hear(message);
    if (message.is === "table") this.shows = true;
    if (answered) this.sendNext();
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

  /** Forget what was kept, and what the address asks for: one of them opens no game. */
  beginAnew() {
    if (!this.fresh) return;
    this.fresh = false;
    keep(KEPT, null);
    history.replaceState(null, "", "#");
    this.open();
  }

  /** Ask for the deal of the address, if the table that was kept is another. */
  dealsAnew(message) {
    const want = wanted();
    const anew = this.fresh && !isWanted(message, want);
    this.fresh = false;
    if (anew) this.send({do: "deal", variant: want.variant, deal: want.deal});
    return anew;
  }

  /** Send a request about the table as it is shown. */
  send(request) {
    if (this.socket.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify({at: this.number, ...request}));
    }
  }
}
