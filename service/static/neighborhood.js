// Draws who cites whom around a paper: a force layout, after Fruchterman and Reingold 1991.
"use strict";

const figure = document.querySelector(".graph");
const svg = figure && figure.querySelector("svg");
const WIDE = 800, HIGH = 480, STEPS = 220;

const make = (name, attributes, parent) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return parent.appendChild(element);
};

function settle(points, lines) {
  const near = Math.sqrt((WIDE * HIGH) / points.length) * 0.75;
  points.forEach((point, i) => {  // on a spiral: the same picture every time
    const angle = i * 2.4, far = 12 * Math.sqrt(i);
    point.x = WIDE / 2 + far * Math.cos(angle);
    point.y = HIGH / 2 + far * Math.sin(angle);
  });
  for (let step = 0; step < STEPS; step++) {
    const most = 30 * (1 - step / STEPS);
    for (const each of points) { each.dx = (WIDE / 2 - each.x) * 0.02; each.dy = (HIGH / 2 - each.y) * 0.04; }
    for (let i = 0; i < points.length; i++) {
      for (let j = i + 1; j < points.length; j++) {
        const a = points[i], b = points[j];
        const x = a.x - b.x, y = a.y - b.y, far = Math.max(x * x + y * y, 1), push = (near * near) / far;
        a.dx += x * push * 0.2; a.dy += y * push * 0.2;
        b.dx -= x * push * 0.2; b.dy -= y * push * 0.2;
      }
    }
    for (const [a, b] of lines) {
      const x = a.x - b.x, y = a.y - b.y, pull = Math.hypot(x, y) / near * 0.06;
      a.dx -= x * pull; a.dy -= y * pull;
      b.dx += x * pull; b.dy += y * pull;
    }
    for (const each of points) {
      const length = Math.hypot(each.dx, each.dy) || 1, share = Math.min(length, most) / length;
      each.x = Math.max(24, Math.min(WIDE - 24, each.x + each.dx * share));
      each.y = Math.max(24, Math.min(HIGH - 24, each.y + each.dy * share));
    }
  }
}

function place(point) {
  point.at.setAttribute("transform", `translate(${point.x.toFixed(1)} ${point.y.toFixed(1)})`);
  for (const [line, end] of point.lines) {
    line.setAttribute(`x${end}`, point.x.toFixed(1));
    line.setAttribute(`y${end}`, point.y.toFixed(1));
  }
}

function draggable(point) {
  let from = null, moved = false;
  point.at.addEventListener("pointerdown", (event) => {
    from = [event.clientX - point.x * scale(), event.clientY - point.y * scale()];
    moved = false;
    point.at.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  point.at.addEventListener("pointermove", (event) => {
    if (!from) return;
    const x = (event.clientX - from[0]) / scale(), y = (event.clientY - from[1]) / scale();
    moved = moved || Math.hypot(x - point.x, y - point.y) > 3;
    if (!moved) return;
    [point.x, point.y] = [x, y];
    place(point);
  });
  point.at.addEventListener("pointerup", () => { from = null; });
  point.at.addEventListener("click", (event) => { if (moved) event.preventDefault(); });
}

const scale = () => svg.getScreenCTM().a;

function draw(found) {
  const points = found.papers.map((paper) => ({ ...paper, lines: [] }));
  points.sort((a, b) => (b.id === found.id) - (a.id === found.id) || b.citations - a.citations);
  const of = new Map(points.map((point) => [point.id, point]));
  const lines = found.citations.map((ends) => ends.map((id) => of.get(id)));
  settle(points, lines);
  const back = make("g", {}, svg);
  for (const ends of lines) {
    const line = make("line", {}, back);
    ends.forEach((point, end) => point.lines.push([line, end + 1]));
  }
  const most = Math.max(...points.map((point) => point.citations), 1);
  points.forEach((point, i) => {
    const own = point.id === found.id, title = point.title || point.id;
    const link = make("a", { href: paperAddress(point.id), class: own ? "own" : i < 6 ? "named" : "" }, svg);
    make("title", {}, link).textContent = point.year ? `${title} (${point.year})` : title;
    const radius = own ? 11 : 4 + 7 * Math.sqrt(point.citations / most);
    make("circle", { r: radius.toFixed(1) }, link);
    const left = point.x > WIDE * 0.6;
    make("text", { x: left ? -radius - 4 : radius + 4, y: 4, "text-anchor": left ? "end" : "start" }, link)
      .textContent = title.length > 38 ? title.slice(0, 37) + "…" : title;
    point.at = link;
    place(point);
    draggable(point);
    const light = (on) => point.lines.forEach(([line]) => line.classList.toggle("lit", on));
    for (const kind of ["pointerenter", "focus"]) link.addEventListener(kind, () => light(true));
    for (const kind of ["pointerleave", "blur"]) link.addEventListener(kind, () => light(false));
  });
}

if (figure) {
  fetch(figure.dataset.source + "?limit=40")
    .then((answer) => answer.ok ? answer.json() : Promise.reject(answer.status))
    .then((found) => { if (found.papers.length > 1) { draw(found); figure.hidden = false; } })
    .catch(() => {});
}
