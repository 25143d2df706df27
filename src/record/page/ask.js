function table(heading, lines) {
  const box = document.createDocumentFragment();
  const title = document.createElement("h2");
  title.textContent = heading;
  box.append(title);
  const body = box.appendChild(document.createElement("table"));
  for (const { cells, go, share } of lines) {
    const line = body.insertRow();
    for (const cell of cells) {
      const place = line.insertCell();
      place.textContent = short(cell);
      place.title = cell;
    }
    if (share !== undefined) {
      const part = line.insertCell(1);
      part.className = "share";
      part.textContent = (share * 100).toFixed(1) + " %";
      part.style.setProperty("--share", share * 100 + "%");
    }
    if (go) { line.className = "go"; line.onclick = go; }
  }
  return box;
}

function show(begin, end) {
  const least = 100;
  const middle = (begin + end) / 2, half = Math.max(end - begin, least) / 2;
  from = middle - half;
  to = middle + half;
  draw();
}

function aboutPicked() {
  const { bar, row } = picked;
  const lines = [["what", data.labels[bar[4]]], ["kind", bar[3]], ["thread", rows[row].name],
    ["took", time(bar[1] - bar[0])]];
  if (chosen) lines.push(["began", time(bar[0] - chosen.begin) + " after the frame"]);
  return table("Chosen", lines.map(cells => ({ cells })));
}

function aboutPath() {
  const sums = new Map();
  for (const [row, begin, end, label] of chosen.path) {
    const key = row + ":" + label, old = sums.get(key) ?? { row, label, sum: 0, begin, end };
    old.sum += end - begin;
    if (end - begin > old.end - old.begin) { old.begin = begin; old.end = end; }
    sums.set(key, old);
  }
  const longest = [...sums.values()].sort((a, b) => b.sum - a.sum).slice(0, 12);
  const line = step => ({
    cells: [time(step.sum), (data.labels[step.label] || "without a name") + ", " + rows[step.row].name],
    go: () => show(step.begin - (step.end - step.begin) / 2, step.end + (step.end - step.begin) / 2),
  });
  return table("What the frame waited for (its critical path)", longest.map(line));
}

function fillSide() {
  side.replaceChildren();
  if (picked) side.append(aboutPicked());
  if (chosen) {
    const title = document.createElement("h2");
    title.textContent = "Frame " + chosen.number + ": " + time(chosen.end - chosen.begin);
    side.append(title);
    if (chosen.causes) {
      const all = chosen.causes.reduce((sum, [, nanos]) => sum + nanos, 0) || 1;
      // What takes less than a thousandth is told as one.
      const large = chosen.causes.filter(([, nanos], place) => place < 14 && nanos >= all / 1000);
      const rest = all - large.reduce((sum, [, nanos]) => sum + nanos, 0);
      if (rest > 1) large.push(["other causes", rest]);
      const lines = large.map(([cause, nanos]) => ({ cells: [time(nanos), cause], share: nanos / all }));
      side.append(table("Where the threads' time went", lines));
    }
    if (chosen.path) side.append(aboutPath());
    if (!chosen.path) side.append("Only the longest frames have their critical path here.");
  }
  const details = side.appendChild(document.createElement("details"));
  details.appendChild(document.createElement("summary")).textContent = "The report in plain text";
  details.appendChild(document.createElement("pre")).textContent = data.report;
}

function choose(frame, zoom) {
  chosen = frame ?? null;
  element("frame").value = chosen ? chosen.number : "";
  document.documentElement.dataset.frame = chosen ? chosen.number : "";
  fillSide();
  if (!zoom || !chosen) return draw();
  const margin = (chosen.end - chosen.begin) * 0.02;
  show(chosen.begin - margin, chosen.end + margin);
}

function zoomAt(middle, factor) {
  const least = 100, most = data.end * 1.2 + 1000;
  const next = Math.min(Math.max((to - from) * factor, least), most);
  const share = (middle - from) / (to - from);
  from = middle - share * next;
  to = from + next;
  draw();
}

function barAt(left, top) {
  const row = rows.find(row => row.isShown && top >= row.top && top < row.top + row.depth * ROW);
  if (!row || left < NAMES) return null;
  const depth = Math.floor((top - row.top) / ROW), moment = at(left), slack = (to - from) / width();
  let best = null;
  for (const bar of row.bars) {
    if (bar[0] > moment + slack) break;
    if (bar[2] === depth && bar[1] >= moment - slack) best = bar;
  }
  return best && { bar: best, row: row.place };
}

let grabbed = null;
lanes.addEventListener("wheel", event => {
  if (event.shiftKey) return;
  event.preventDefault();
  zoomAt(at(event.offsetX), event.deltaY > 0 ? 1.25 : 0.8);
}, { passive: false });
lanes.addEventListener("mousedown", event => grabbed = { left: event.clientX, from, to, moved: false });
addEventListener("mousemove", event => {
  if (!grabbed) return;
  const by = (event.clientX - grabbed.left) / (width() - NAMES) * (grabbed.to - grabbed.from);
  grabbed.moved ||= Math.abs(event.clientX - grabbed.left) > 3;
  from = grabbed.from - by;
  to = grabbed.to - by;
  draw();
});
addEventListener("mouseup", () => setTimeout(() => grabbed = null));
lanes.addEventListener("click", event => {
  if (grabbed && grabbed.moved) return;
  picked = barAt(event.offsetX, event.offsetY);
  fillSide();
  draw();
});
lanes.addEventListener("mousemove", event => {
  const under = grabbed ? null : barAt(event.offsetX, event.offsetY);
  tip.style.display = under ? "block" : "none";
  if (!under) return;
  tip.textContent = data.labels[under.bar[4]] + " · " + time(under.bar[1] - under.bar[0]);
  tip.style.left = Math.min(event.clientX + 12, innerWidth - 300) + "px";
  tip.style.top = event.clientY + 14 + "px";
});
lanes.addEventListener("mouseleave", () => tip.style.display = "none");
lanes.addEventListener("keydown", event => {
  const span = to - from;
  const moves = { ArrowLeft: -0.1, ArrowRight: 0.1 };
  if (event.key in moves) { from += moves[event.key] * span; to += moves[event.key] * span; draw(); }
  else if (event.key === "+") zoomAt((from + to) / 2, 0.8);
  else if (event.key === "-") zoomAt((from + to) / 2, 1.25);
});
strip.addEventListener("click", event => {
  const each = stripStep();
  choose(data.frames[Math.floor(event.offsetX / each)] ?? chosen, true);
});
element("frame").addEventListener("change", event =>
  choose(data.frames.find(frame => frame.number === Number(event.target.value)), true));
element("all").addEventListener("click", () => show(0, data.end));
for (const id of ["flows", "path"]) element(id).addEventListener("change", draw);

let hits = [], hit = -1;
element("find").addEventListener("input", event => {
  needle = event.target.value.trim().toLowerCase();
  hits = [];
  hit = -1;
  if (needle) rows.forEach(row => row.bars.forEach(bar => {
    if (matches(bar[4])) hits.push({ bar, row: row.place });
  }));
  hits.sort((a, b) => a.bar[0] - b.bar[0]);
  element("found").textContent = needle ? hits.length + " found; Enter: the next" : "";
  draw();
});
element("find").addEventListener("keydown", event => {
  if (event.key !== "Enter" || !hits.length) return;
  hit = (hit + 1) % hits.length;
  picked = hits[hit];
  const [begin, end] = picked.bar, margin = Math.max((end - begin) * 2, 1000);
  chosen = data.frames.find(frame => frame.begin <= begin && frame.end > begin) ?? chosen;
  fillSide();
  show(begin - margin, end + margin);
});

for (const frame of data.frames) {
  const option = document.createElement("option");
  option.value = frame.number;
  option.textContent = frame.number + " (" + time(frame.end - frame.begin) + ")";
  element("frame").append(option);
}

function fillLegend() {
  const add = (colour, text, isLine) => {
    const item = document.createElement("span"), mark = item.appendChild(document.createElement("i"));
    mark.style.background = colour.startsWith("--") ? `var(${colour})` : colour;
    mark.className = isLine ? "line" : "";
    item.append(text);
    element("legend").insertBefore(item, element("keys"));
  };
  const used = new Set(rows.flatMap(row => row.bars.map(bar => bar[3])));
  for (const kind in kinds) if (used.has(kind)) add(...kinds[kind], false);
  for (const way of [...new Set(data.flows.map(flow => flow[4]))].sort()) add(...ways[way], true);
  add(PATH, "critical path", true);
}

// `#frame=7` at the end of the page's address opens it there; else it opens at the longest.
function addressed() {
  const number = /^#frame=(\d+)$/.exec(location.hash)?.[1];
  return data.frames.find(frame => number !== undefined && frame.number === Number(number));
}

const longestFrame = data.frames.reduce((best, frame) =>
  !best || frame.end - frame.begin > best.end - best.begin ? frame : best, null);
addEventListener("resize", draw);
addEventListener("hashchange", () => choose(addressed() ?? chosen, true));
fillLegend();
choose(addressed() ?? longestFrame, true);
document.documentElement.dataset.ready = "yes";
