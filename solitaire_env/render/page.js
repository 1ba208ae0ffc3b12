(() => {
  const data = DATA;
  const root = document.getElementById(data.prefix + "game");
  const find = (selector) => root.querySelector(selector);
  const svg = find("svg"), layer = svg.lastElementChild, slider = find("input"), list = find("ol");
  const steps = data.steps, last = steps.length - 1;
  const make = (name, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    return parent.appendChild(node);
  };
  const tables = [];
  const empty = Array.from({length: data.piles}, () => []);
  let table = empty;
  for (const step of steps) {
    table = table.slice();
    for (const [pile, stay, come] of step.c) table[pile] = table[pile].slice(0, stay).concat(come);
    tables.push(table);
  }
  const piles = empty.map(() => make("g", {}, layer));
  let shown = empty;
  const drawSign = ([name, x, y], parent) => {
    if (name[0] !== "#") {
      make("use", {href: "#" + data.prefix + name, transform: `translate(${x} ${y}) scale(${data.scale})`}, parent);
      return;
    }
    make("text", {x, y, "text-anchor": "middle", "dominant-baseline": "middle", "font-family": "sans-serif",
      "font-weight": "bold", "font-size": 18, stroke: "#2c1e14", "stroke-width": 6, "paint-order": "stroke",
      fill: "#fdf7e6"}, parent).textContent = name.slice(1);
  };
  const draw = (next) => {
    next.forEach((pile, number) => {
      if (pile === shown[number]) return;
      piles[number].replaceChildren();
      for (const sign of pile) drawSign(sign, piles[number]);
    });
    shown = next;
  };
  const element = (name, text, parent) => {
    const node = document.createElement(name);
    node.textContent = text;
    return parent.appendChild(node);
  };
  const think = (step) => {
    const box = find(".thought");
    box.replaceChildren();
    if (!step) return;
    if ("v" in step) element("div", "expected before this move: " + step.v, box);
    for (const [words, chance] of step.p || []) {
      const bar = element("div", "", box);
      bar.className = "bar";
      element("i", "", bar).style.width = Math.max(0, Math.min(1, chance)) * 100 + "%";
      element("span", words, bar);
      element("span", (chance * 100).toFixed(1) + " %", bar);
    }
  };
  const items = steps.map((step, number) => {
    const item = element("li", step.w, list);
    item.onclick = () => go(number);
    return item;
  });
  let now = -1, timer = 0;
  const play = (on) => {
    clearInterval(timer);
    timer = on ? setInterval(() => now < last ? go(now + 1) : play(false), 500) : 0;
    find("[data-go=play]").textContent = on ? "pause" : "play";
  };
  const go = (number) => {
    const to = Math.max(0, Math.min(last, number));
    draw(tables[to]);
    if (items[now]) items[now].classList.remove("now");
    now = to;
    items[now].classList.add("now");
    list.scrollTop = items[now].offsetTop - list.offsetTop - list.clientHeight / 2;
    slider.value = now;
    find("output").textContent = now + " / " + last;
    find(".told").textContent = steps[now].t + (steps[now].o ? " - " + steps[now].o : "");
    think(steps[now]);
  };
  const acts = {first: () => go(0), back: () => go(now - 1), on: () => go(now + 1), last: () => go(last),
    play: () => { if (!timer && now === last) go(0); play(!timer); }};
  const keys = {Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last", " ": "play"};
  for (const button of root.querySelectorAll("[data-go]")) button.onclick = () => acts[button.dataset.go]();
  slider.oninput = () => { play(false); go(Number(slider.value)); };
  find("select").onchange = (event) => { svg.style.background = event.target.value; };
  root.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.target.tagName === "SELECT" || (event.target.tagName === "BUTTON" && event.key === " ")) return;
    event.preventDefault();
    event.stopPropagation();
    acts[act]();
  });
  go(0);
  if (root.parentElement === document.body) root.focus();
})();
