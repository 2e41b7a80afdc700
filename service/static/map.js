// Draws the papers of a map on a canvas: colors, zoom, marks, and which paper is under the pointer.
"use strict";

const frame = document.querySelector(".map");
const COLORS = ["#4477aa", "#ee6677", "#228833", "#aa8a1f", "#4aa5c8", "#aa3377", "#ee7733", "#009988"];
const OTHER = "#8a939b", SIDE = 65535;

const load = () => fetch(frame.dataset.source).then((answer) => answer.json()).then(start);
if (frame?.hidden) {  // the map on the first page is fetched when the reader comes to its heading
  new IntersectionObserver(([seen], watch) => {
    if (!seen.isIntersecting) return;
    watch.disconnect();
    load();
  }).observe(frame.parentElement);
} else if (frame) load();

function start(map) {
  frame.hidden = false;
  const canvas = frame.querySelector("canvas"), status = document.getElementById("map-status");
  const count = map.ids.length, view = { x: SIDE / 2, y: SIDE / 2, zoom: 1 };
  const marked = new Set(), at = new Map(map.ids.map((id, i) => [id, i]));
  const xs = Float32Array.from(map.x), ys = Float32Array.from(map.y);
  let first = Infinity, last = -Infinity;
  for (const year of map.year) if (year !== null) { first = Math.min(first, year); last = Math.max(last, year); }
  const tools = document.getElementById("map-tools"), colors = document.getElementById("color");
  const until = document.getElementById("until"), untilYear = document.getElementById("until-year");
  let latest = Infinity;  // papers of later years are not drawn
  const isDrawn = (i) => map.year[i] === null ? latest === Infinity : map.year[i] <= latest;
  let by = map.topics?.length ? "topic" : "field", under = -1, planned = false;

  const yearColors = new Map();
  const byYear = (year) => yearColors.get(year) ?? yearColors.set(year, yearColor(year, first, last)).get(year);
  const byLabel = (number) => number < 0 ? OTHER : COLORS[number % COLORS.length];
  const color = (i) => by === "year" ? byYear(map.year[i]) : byLabel(map[by][i]);

  let groups = [], image = null;
  const palette = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  function group() {  // of each color, as a pixel, the papers that have it
    const of = new Map();
    for (let i = 0; i < count; i++) {
      if (!isDrawn(i)) continue;
      const fill = color(i);
      if (!of.has(fill)) of.set(fill, []);
      of.get(fill).push(i);
    }
    groups = [...of].map(([fill, members]) => {
      palette.fillStyle = fill;
      palette.fillRect(0, 0, 1, 1);
      const rgb = palette.getImageData(0, 0, 1, 1).data.slice();
      return { rgb, xs: Float32Array.from(members, (i) => xs[i]), ys: Float32Array.from(members, (i) => ys[i]) };
    });
    canvas.dataset.points = String(groups.reduce((sum, group) => sum + group.xs.length, 0));
  }

  // A million rectangles take a canvas much longer than a frame: the points are pixels, written here
  function paint(pen, scale, side, opacity) {
    const { width, height } = pen.canvas;
    if (!image || image.width !== width || image.height !== height) image = pen.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer).fill(0), one = new Uint8ClampedArray(4);
    const left = (width - side) / 2 - view.x * scale, top = (height - side) / 2 - view.y * scale;
    for (const { rgb, xs, ys } of groups) {
      one.set(rgb);
      one[3] = opacity * 255;
      const [pixel] = new Uint32Array(one.buffer);
      for (let i = 0; i < xs.length; i++) {
        const x = (xs[i] * scale + left + 0.5) | 0, y = (ys[i] * scale + top + 0.5) | 0;
        if (x < 0 || y < 0 || x + side > width || y + side > height) continue;
        for (let down = 0, row = y * width + x; down < side; down++, row += width) {
          const corner = side > 3 && (down === 0 || down === side - 1) ? 1 : 0;
          for (let at = row + corner; at < row + side - corner; at++) pixels[at] = pixel;
        }
      }
    }
    pen.putImageData(image, 0, 0);
  }

  function size() {
    const box = canvas.getBoundingClientRect(), sharp = window.devicePixelRatio || 1;
    return { wide: box.width, high: box.height, sharp, scale: Math.min(box.width, box.height) * 0.94 / SIDE * view.zoom };
  }

  function draw() {
    planned = false;
    const { wide, high, sharp, scale } = size();
    canvas.width = wide * sharp;
    canvas.height = high * sharp;
    const pen = canvas.getContext("2d");
    const point = Math.max(1.3, Math.min(5, 0.5 * Math.min(wide, high) * Math.sqrt(view.zoom / count)));
    paint(pen, scale * sharp, Math.max(1, Math.round(point * sharp)), marked.size ? 0.25 : 0.75);
    pen.scale(sharp, sharp);
    pen.strokeStyle = getComputedStyle(document.body).color;
    pen.lineWidth = 1.5;
    for (const i of under < 0 ? marked : [...marked, under]) {
      if (!isDrawn(i)) continue;
      pen.beginPath();
      pen.arc((xs[i] - view.x) * scale + wide / 2, (ys[i] - view.y) * scale + high / 2, point / 2 + 3, 0, 7);
      pen.fillStyle = color(i);
      pen.fill();
      pen.stroke();
    }
    name(pen, wide, high, scale);
  }

  const taken = [];
  function name(pen, wide, high, scale) {  // the largest topics first, none over another
    const style = getComputedStyle(document.body);
    pen.font = `600 12px ${style.fontFamily}`;
    pen.textAlign = "center";
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeStyle = getComputedStyle(canvas).backgroundColor;
    pen.fillStyle = style.color;
    taken.length = 0;
    for (const label of tools ? map.labels || [] : []) {
      const text = label.name.split(", ").slice(0, 2).join(", ");
      const x = (label.x - view.x) * scale + wide / 2, y = (label.y - view.y) * scale + high / 2, half = pen.measureText(text).width / 2 + 4;
      if (x < half || y < 14 || x > wide - half || y > high - 6 || taken.some((one) => Math.abs(one.x - x) < one.half + half && Math.abs(one.y - y) < 17)) continue;
      taken.push({ x, y, half });
      pen.strokeText(text, x, y);
      pen.fillText(text, x, y);
    }
    canvas.dataset.labels = String(taken.length);
  }

  const plan = () => { if (!planned) { planned = true; requestAnimationFrame(draw); } };

  function nearest(event) {
    const { wide, high, scale } = size(), box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - wide / 2) / scale + view.x, y = (event.clientY - box.top - high / 2) / scale + view.y;
    let best = -1, far = (12 / scale) ** 2;
    for (let i = 0; i < count; i++) {
      const distance = (xs[i] - x) ** 2 + (ys[i] - y) ** 2;
      if (distance < far && isDrawn(i)) { far = distance; best = i; }
    }
    return best;
  }

  const address = (i) => paperAddress(map.ids[i]);
  let lastRequest = 0;
  function showTitle(i) {
    if (i === under) return;
    under = i;
    plan();
    if (i < 0) return;
    const now = ++lastRequest;
    setTimeout(() => {
      if (now !== lastRequest) return;
      fetch("/v1" + address(i)).then((answer) => answer.json()).then((paper) => {
        if (now !== lastRequest) return;
        const link = document.createElement("a");
        link.href = address(i);
        link.textContent = paper.title || paper.id;
        status.replaceChildren(link, paper.year ? ` ${paper.year}` : "");
      });
    }, 90);
  }

  function zoom(by, event) {
    const { wide, high, scale } = size(), box = canvas.getBoundingClientRect();
    const x = event ? event.clientX - box.left - wide / 2 : 0, y = event ? event.clientY - box.top - high / 2 : 0;
    const to = Math.max(1, Math.min(60, view.zoom * by)), share = 1 - view.zoom / to;
    view.x += x / scale * share;
    view.y += y / scale * share;
    view.zoom = to;
    plan();
  }

  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 400), event); }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, event); moved = 0; });
  canvas.addEventListener("pointerup", (event) => {
    fingers.delete(event.pointerId);
    const i = nearest(event);
    if (moved < 5 && i >= 0) location.href = address(i);
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) { showTitle(nearest(event)); return; }
    const { scale } = size(), others = [...fingers.values()].filter((each) => each.pointerId !== event.pointerId);
    if (others.length) {
      const far = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY);
      zoom(far(event) / Math.max(far(before), 1), event);
    } else {
      view.x -= (event.clientX - before.clientX) / scale;
      view.y -= (event.clientY - before.clientY) / scale;
    }
    moved += Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
    fingers.set(event.pointerId, event);
    plan();
  });
  canvas.addEventListener("keydown", (event) => {
    const step = SIDE / 12 / view.zoom;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (move) { view.x += move[0]; view.y += move[1]; plan(); }
    else if (event.key === "+" || event.key === "=") zoom(1.4);
    else if (event.key === "-") zoom(1 / 1.4);
    else return;
    event.preventDefault();
  });

  tools?.addEventListener("submit", (event) => {
    event.preventDefault();
    const words = document.getElementById("q").value.trim();
    marked.clear();
    plan();
    if (!words) return;
    fetch(`/v1/search?k=100&space=${encodeURIComponent(map.space)}&q=${encodeURIComponent(words)}`)
      .then((answer) => answer.json())
      .then((found) => mark((found.hits || []).map((hit) => hit.id), `“${words}”`));
  });

  function mark(ids, what) {
    for (const id of ids) if (at.has(id)) marked.add(at.get(id));
    status.textContent = `${marked.size} ${marked.size === 1 ? "paper" : "papers"} marked: ${what}`;
    plan();
  }

  function legend() {
    const swatch = (fill, name) => {
      const item = document.createElement("li"), box = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const square = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [key, value] of [["width", "100%"], ["height", "100%"], ["rx", "2"], ["fill", fill]]) square.setAttribute(key, value);
      box.append(square);
      item.append(box, name);
      return item;
    };
    const names = { field: map.fields, topic: map.topics }[by] || [];
    const step = Math.max(1, Math.ceil((last - first) / 6)), spans = [];
    for (let year = first; year <= last; year += step) spans.push(swatch(byYear(year), String(year)));
    document.getElementById("legend").replaceChildren(...(by === "year" ? spans : [...names.map((name, i) => swatch(COLORS[i], name)), swatch(OTHER, "other")]));
  }

  if (colors) {
    if (!map.topics?.length) colors.querySelector("[value=topic]").remove();
    colors.value = by;
    colors.addEventListener("change", (event) => { by = event.target.value; group(); legend(); plan(); });
    legend();
  }
  if (until && last > first) {
    Object.assign(until, { min: first, max: last, value: last });
    until.parentElement.hidden = false;
    until.addEventListener("input", () => {
      latest = Number(until.value) === last ? Infinity : Number(until.value);
      untilYear.textContent = until.value;
      group();
      plan();
    });
    untilYear.textContent = last;
  }
  if (frame.dataset.marked) mark(JSON.parse(frame.dataset.marked), `the list ${frame.dataset.list}`);
  new ResizeObserver(plan).observe(canvas);
  group();
  plan();
}
