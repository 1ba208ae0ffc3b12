// The agent at the player's side: hints, advice on the board, and play.

import {make} from "/table.js";

const PAUSE = 350;
const SHOWN = 5;

export class Helper {
  /**
   * @param {import("/link.js").Link} link to the server
   * @param {import("/table.js").Table} table where advice is drawn
   * @param {(words: string) => void} say is read aloud
   */
  constructor(link, table, say) {
    Object.assign(this, {link, table, say});
    this.advising = this.playing = this.hinted = false;
    this.timer = 0;
    this.likely = [];
    this.name = document.getElementById("agents");
    this.thought = document.getElementById("thought");
    this.list = document.getElementById("chances");
    this.name.onchange = () => this.follow();
  }

  ask(request) {
    this.link.send({do: request, agent: this.name.value || null});
  }

  /** Ask what the trusted agent would play. */
  hint() {
    if (this.over()) return;
    this.hinted = true;
    this.thought.textContent = "thinking ...";
    this.ask("advise");
  }

  toggleAdvice() {
    this.advising = !this.advising;
    this.press("advice", this.advising);
    if (!this.advising) this.clear();
    this.follow();
  }

  togglePlay(on = !this.playing) {
    this.playing = on;
    this.press("autoplay", on);
    this.follow();
  }

  press(act, on) {
    document.querySelector(`[data-act=${act}]`).setAttribute("aria-pressed", on);
  }

  over() {
    return !this.table.view || !this.table.view.moves.length;
  }

  clear() {
    this.thought.textContent = "";
    this.list.replaceChildren();
    this.likely = [];
    this.draw();
  }

  /** Go on after the table has changed. */
  follow() {
    clearTimeout(this.timer);
    this.clear();
    if (this.over()) {
      if (this.playing) this.togglePlay(false);
    } else if (this.advising) {
      this.thought.textContent = "thinking ...";
      this.ask("advise");
    } else if (this.playing) {
      this.playSoon();
    }
  }

  playSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask("agent"), PAUSE);
  }

  /** Show what an agent thinks. */
  show({agent, choice, chances, value, number}) {
    if (number !== this.link.number) return;
    const moves = new Map(this.table.view.moves.map((move) => [move.action, move]));
    const chosen = moves.get(choice);
    this.clear();
    const hopes = value === null ? "" : ` (expects ${value.toFixed(2)})`;
    this.thought.textContent = `${agent} would play: ${chosen.words}${hopes}`;
    if (this.hinted || !this.advising) {
      this.say(this.thought.textContent);
      this.table.clearMarks("hint");
      this.table.light("hint", chosen.from[0], chosen.count);
      this.table.light("hint", chosen.to[0]);
    }
    this.hinted = false;
    this.likely = chances
      .filter(([action]) => moves.has(action))
      .slice(0, SHOWN)
      .map(([action, chance]) => [moves.get(action), chance]);
    for (const [move, chance] of this.likely) this.addBar(move.words, chance);
    this.draw();
    if (this.playing) this.playSoon();
  }

  /** Draw advice on the board, if it is wanted. */
  draw() {
    this.table.drawAdvice(this.advising ? this.likely : []);
  }

  addBar(words, chance) {
    const bar = make("li", "bar", this.list);
    make("i", "", bar).style.width = `${chance * 100}%`;
    make("span", "", bar).textContent = words;
    make("b", "", bar).textContent = `${(chance * 100).toFixed(0)} %`;
  }

  /** Stop what the server refused. */
  refuse(words) {
    this.hinted = false;
    if (this.playing) this.togglePlay(false);
    if (this.thought.textContent === "thinking ...") this.thought.textContent = words;
  }
}
