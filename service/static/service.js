// What the keyboard does on every page, files that are dropped, addresses of papers, the colors of years, and the place of the links on a phone.
"use strict";

// From --old to --new, by way of --middle: each color is darker than the one before, or lighter on a dark page.
let yearStops = null;
function yearColor(year, first, last) {
  if (year === null) return "#8a939b";
  const value = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  yearStops ??= ["--old", "--middle", "--new"].map((name) => value(name).match(/[0-9a-f]{2}/gi).map((part) => parseInt(part, 16)));
  const place = last > first ? 2 * (year - first) / (last - first) : 2, below = Math.min(1, Math.floor(place));
  return `rgb(${yearStops[below].map((from, i) => Math.round(from + (place - below) * (yearStops[below + 1][i] - from))).join(", ")})`;
}

// A slash before the name of a route stays encoded: "a/similar" is a paper.
const paperAddress = (id) => "/papers/" + encodeURIComponent(id).replace(/%2F(?!(similar|references|citations|neighborhood)$)/g, "/");

const nav = document.querySelector("header nav"), here = nav.querySelector("[aria-current]");
if (here) nav.scrollLeft = here.offsetLeft - nav.offsetLeft - nav.clientWidth / 2;

const typing = (element) => element.matches("input, textarea, select");
const listed = () => [...document.querySelectorAll("main li a.paper")];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "/") {
    const field = document.querySelector("input[type=search]");
    event.preventDefault();
    if (field) field.select();
    else location.href = "/";
  } else if (event.key === "j" || event.key === "k") {
    const links = listed();
    const at = links.indexOf(document.activeElement) + (event.key === "j" ? 1 : -1);
    if (links.length) links[Math.max(0, Math.min(at, links.length - 1))].focus();
  } else if (event.key === "n" || event.key === "p") {
    document.querySelector(`a[rel=${event.key === "n" ? "next" : "prev"}]`)?.click();
  } else if (event.key === "s" || event.key === "b" || event.key === "e") {
    document.activeElement.closest("li")?.querySelector(`[data-key=${event.key}]`)?.click();
  }
});

for (const drop of document.querySelectorAll(".drop")) {
  const input = drop.querySelector("input");
  const over = (event) => {
    event.preventDefault();
    drop.classList.toggle("over", event.type === "dragover");
  };
  drop.addEventListener("dragover", over);
  drop.addEventListener("dragleave", over);
  drop.addEventListener("drop", (event) => {
    over(event);
    input.files = event.dataTransfer.files;
  });
}

const jobs = document.getElementById("jobs");
const working = () => jobs.querySelector("[data-state=waiting], [data-state=running]");
function follow() {
  if (working()) setTimeout(async () => {
    const answer = await fetch(location.pathname).catch(() => null);
    if (answer && answer.ok && !jobs.contains(document.activeElement) && !jobs.querySelector("[open]")) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      jobs.replaceChildren(...page.getElementById("jobs").childNodes);
    }
    follow();
  }, 2000);
}
if (jobs) follow();
