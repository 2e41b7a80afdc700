// Draws the graph of Explore with Cytoscape.js, and keeps it and the table together.
"use strict";

const figure = document.querySelector(".network");
const card = document.getElementById("card");
const rows = document.querySelector("#papers tbody");
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Cytoscape.js would write this element as an inline style, which the policy of the page forbids.
const style = document.createElement("meta");
style.id = "__________cytoscape_stylesheet";
document.head.append(style);

function label(paper) {
  const name = paper.authors[0] || paper.id;
  return (name.includes(",") ? name.split(",")[0] : name.split(" ").at(-1)) + (paper.year ? ` ${paper.year}` : "");
}

let first = Infinity, last = -Infinity;
const byYear = (year) => yearColor(year, first, last);

function elements(found, seeds) {
  for (const { year } of found.papers) if (year !== null) { first = Math.min(first, year); last = Math.max(last, year); }
  return [
    ...found.papers.map((paper) => ({ group: "nodes", data: { ...paper, label: label(paper), size: 14 + 5 * Math.sqrt(Math.min(paper.citations, 120)), seed: seeds.includes(paper.id) ? 1 : 0 } })),
    ...found.similar.map(([source, target, weight]) => ({ group: "edges", classes: "similar", data: { id: `similar ${[source, target].sort().join(" ")}`, source, target, weight } })),
    ...found.citations.map(([source, target]) => ({ group: "edges", classes: "cites", data: { id: `cites ${source} ${target}`, source, target, weight: 0.5 } })),
  ];
}

function start(found) {
  figure.classList.add("drawn");
  const graph = cytoscape({
    container: document.getElementById("network"),
    elements: elements(found, found.seeds),
    minZoom: 0.2, maxZoom: 4,
    style: [
      { selector: "node", style: { "background-color": (node) => byYear(node.data("year")), width: "data(size)", height: "data(size)", label: "data(label)", "font-size": 11, color: color("--text"), "text-outline-color": color("--raised"), "text-outline-width": 2, "text-valign": "bottom", "text-margin-y": 3, "min-zoomed-font-size": 7 } },
      { selector: "node.covered", style: { "text-opacity": 0 } },
      { selector: "node[seed = 1]", style: { "border-width": 4, "border-color": color("--link"), "border-style": "double" } },
      { selector: "node:locked", style: { shape: "diamond" } },
      { selector: "edge", style: { width: 1.4, "line-color": color("--soft"), opacity: 0.3, "curve-style": "haystack" } },
      { selector: "edge.cites", style: { display: "none", "curve-style": "straight", "target-arrow-shape": "triangle", "target-arrow-color": color("--soft"), "arrow-scale": 0.7 } },
      { selector: ".off", style: { display: "none" } },
      { selector: "edge.on", style: { display: "element" } },
      { selector: "node.near", style: { "text-opacity": 1, "z-index": 1, "border-width": 3, "border-color": color("--text") } },
      { selector: "edge.near", style: { opacity: 1, width: 2.2, "line-color": color("--link"), "target-arrow-color": color("--link") } },
    ],
  });
  // Only similar papers pull each other: with all citations the graph would be one ball.
  const settle = (fit) => graph.elements("node, edge.similar").layout({ name: "cose", animate: false, randomize: false, fit, padding: 24, nodeRepulsion: () => 6000, edgeElasticity: () => 12, idealEdgeLength: (edge) => 30 + 90 * (1 - edge.data("weight")), nodeOverlap: 12, gravity: 0.6, numIter: 1500 }).run();
  graph.layout({ name: "concentric", concentric: (node) => node.data("seed") * 1000 + node.degree(), levelWidth: () => 3, animate: false }).run();
  settle(true);

  // Labels that would cover a point or another label are shown on hover only; seeds and cited papers come first.
  function cover() {
    graph.nodes().removeClass("covered");
    const meet = (a, b) => a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2;
    const points = graph.nodes().map((node) => [node.id(), node.boundingBox({ includeLabels: false })]), labels = [];
    for (const node of graph.nodes().sort((a, b) => b.data("seed") - a.data("seed") || b.data("size") - a.data("size"))) {
      const box = node.boundingBox({ includeNodes: false, includeOverlays: false });
      const covers = labels.some((other) => meet(box, other)) || points.some(([id, other]) => id !== node.id() && meet(box, other));
      if (covers) node.addClass("covered");
      else labels.push(box);
    }
  }
  cover();
  graph.on("dragfree", "node", cover);
  if (last > first) {
    document.querySelector(".years").hidden = false;
    document.getElementById("first-year").textContent = first;
    document.getElementById("last-year").textContent = last;
  }

  const lines = document.getElementById("lines");
  function draw() {
    const cites = lines.value === "cites";
    graph.edges(".similar").toggleClass("off", cites);
    graph.edges(".cites").toggleClass("on", cites);
  }
  lines.addEventListener("change", draw);

  const row = (id) => [...rows.children].find((each) => each.dataset.id === id);
  function mark(id) {
    graph.elements().removeClass("near");
    for (const each of rows.children) each.classList.toggle("near", each.dataset.id === id);
    const node = graph.getElementById(id ?? "");
    node.addClass("near").connectedEdges().addClass("near");
  }

  let chosen = null;
  function show(node, actions) {
    const { id, title, authors, venue, year, citations, reasons } = node.data();
    const part = (name, text, kind = "") => Object.assign(document.createElement(name), { textContent: text, className: kind });
    const link = Object.assign(part("a", title || id, "paper"), { href: paperAddress(id) });
    const facts = [authors.slice(0, 3).join(", ") + (authors.length > 3 ? " ..." : ""), [venue, year, `cited ${citations} times`].filter(Boolean).join(" · "), reasons.map((each) => each.text).join("; ")];
    card.replaceChildren(link, ...facts.filter(Boolean).map((text) => part("p", text, "soft")));
    if (actions) {
      const tools = part("p", "", "row");
      const button = (text, run) => { const made = Object.assign(part("button", text, "plain"), { type: "button" }); made.addEventListener("click", run); tools.append(made); };
      button(node.locked() ? "Unpin" : "Pin", () => { node.locked() ? node.unlock() : node.lock(); show(node, true); });
      button("Expand", () => expand(node));
      const more = new URL(location.href);
      more.searchParams.delete("q");
      if (!node.data("seed")) { more.searchParams.append("id", id); tools.append(Object.assign(part("a", "Add as seed"), { href: more })); }
      tools.append(Object.assign(part("a", "Save to a list"), { className: "save", href: "/lists?" + new URLSearchParams({ id }) }));
      card.append(tools);
    }
    card.hidden = false;
  }
  graph.on("mouseover", "node", ({ target }) => { mark(target.id()); if (!chosen) show(target, false); });
  graph.on("mouseout", "node", () => { mark(chosen?.id()); if (!chosen) card.hidden = true; });
  graph.on("tap", "node", ({ target }) => { chosen = target; mark(target.id()); show(target, true); });
  graph.on("tap", (event) => { if (event.target === graph) { chosen = null; card.hidden = true; mark(null); } });
  rows.addEventListener("pointerover", (event) => mark(event.target.closest("tr")?.dataset.id));
  rows.addEventListener("focusin", (event) => mark(event.target.closest("tr")?.dataset.id));

  async function expand(node) {
    const query = new URLSearchParams({ id: node.id(), k: 10, space: found.space });
    const answer = await fetch(`/v1/explore?${query}`);
    if (!answer.ok) return;
    const more = await answer.json(), place = node.position();
    const fresh = elements(more, []).filter((each) => graph.getElementById(each.data.id).empty());
    fresh.filter((each) => each.group === "nodes").forEach((each, i) => {
      each.position = { x: place.x + 90 * Math.cos(i * 2.4), y: place.y + 90 * Math.sin(i * 2.4) };
      const made = rows.insertRow(), title = document.createElement("th"), link = document.createElement("a");
      made.dataset.id = each.data.id;
      Object.assign(link, { href: paperAddress(each.data.id), className: "paper", textContent: each.data.title || each.data.id });
      title.scope = "row";
      title.append(link, document.createElement("br"), Object.assign(document.createElement("span"), { className: "soft", textContent: each.data.authors.slice(0, 3).join(", ") }));
      made.append(title);
      for (const value of [each.data.year ?? "", each.data.citations]) Object.assign(made.insertCell(), { className: "number", textContent: value });
    });
    const before = graph.nodes(":unlocked");
    graph.add(fresh);
    before.lock();  // what is drawn stays where the reader knows it
    settle(false);
    before.unlock();
    cover();
    draw();
    figure.dataset.papers = graph.nodes().length;
  }

  const save = (name, blob) => {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const escaped = (value) => String(value).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const exports = {
    png: () => graph.png({ output: "blob", full: true, scale: 2, bg: color("--back") }),
    svg() {
      const box = graph.elements().boundingBox(), at = (node) => node.position();
      const visible = graph.edges().filter((edge) => edge.visible());
      const drawn = visible.map((edge) => { const a = at(edge.source()), b = at(edge.target()); return `<line x1="${a.x.toFixed(1)}" y1="${a.y.toFixed(1)}" x2="${b.x.toFixed(1)}" y2="${b.y.toFixed(1)}" stroke="#8a939b" stroke-opacity=".5"/>`; });
      const points = graph.nodes().map((node) => `<g transform="translate(${at(node).x.toFixed(1)} ${at(node).y.toFixed(1)})"><title>${escaped(node.data("title") || node.id())}</title><circle r="${node.width() / 2}" fill="${byYear(node.data("year"))}"${node.data("seed") ? ' stroke="#1d2329" stroke-width="3"' : ""}/><text y="${node.height() / 2 + 12}" text-anchor="middle" font-size="11" font-family="sans-serif">${escaped(node.data("label"))}</text></g>`);
      return new Blob([`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${[box.x1 - 10, box.y1 - 10, box.w + 20, box.h + 30].map(Math.round).join(" ")}">\n${[...drawn, ...points].join("\n")}\n</svg>\n`], { type: "image/svg+xml" });
    },
    graphml() {
      const keys = [["title", "node", "string"], ["year", "node", "int"], ["citations", "node", "int"], ["seed", "node", "boolean"], ["kind", "edge", "string"], ["weight", "edge", "double"]];
      const value = (key, given) => given === null || given === undefined ? "" : `<data key="${key}">${escaped(given)}</data>`;
      const nodes = graph.nodes().map((node) => `<node id="${escaped(node.id())}">${value("title", node.data("title"))}${value("year", node.data("year"))}${value("citations", node.data("citations"))}${value("seed", node.data("seed") === 1)}</node>`);
      const edges = graph.edges().map((edge) => { const kind = edge.hasClass("cites") ? "cites" : "similar"; return `<edge source="${escaped(edge.source().id())}" target="${escaped(edge.target().id())}">${value("kind", kind)}${kind === "similar" ? value("weight", edge.data("weight").toFixed(4)) : ""}</edge>`; });
      return new Blob([`<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n${keys.map(([name, part, type]) => `<key id="${name}" for="${part}" attr.name="${name}" attr.type="${type}"/>`).join("\n")}\n<graph edgedefault="directed">\n${[...nodes, ...edges].join("\n")}\n</graph>\n</graphml>\n`], { type: "application/xml" });
    },
  };
  for (const button of document.querySelectorAll("[data-export]")) {
    button.addEventListener("click", () => save(`papers.${button.dataset.export}`, exports[button.dataset.export]()));
  }
  figure.dataset.papers = graph.nodes().length;
  figure.graph = graph;  // for tests
}

if (figure) fetch(figure.dataset.source).then((answer) => answer.ok ? answer.json() : Promise.reject(answer.status)).then(start);
