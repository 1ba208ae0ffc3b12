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
    this.waits = false;
    this.queue = [];
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(`ws://${location.host}/play`);
    this.socket.onopen = () => this.open();
    this.socket.onmessage = (event) => this.take(JSON.parse(event.data));
    this.socket.onclose = () => {
      this.queue = [];
      this.lose(true);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, 4000);
    };
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
    this.hear(message);
    if (message.is === "table") this.sendNext();
  }

  /**
   * Ask for something once all that was asked before is answered.
   * @param {() => object | null} make gives the request about the table of then
   */
  later(make) {
    this.queue.push(make);
    if (!this.waits) this.sendNext();
  }

  sendNext() {
    let request = null;
    while (this.queue.length && !request) request = this.queue.shift()();
    this.waits = Boolean(request);
    if (request) this.send(request);
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
