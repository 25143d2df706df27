// The fill of a bar of each kind, and what the legend calls it.
const kinds = { frame: ["#5d6880", "frame"], schedule: ["#4f5fa0", "schedule"], system: ["#2f7d4f", "system"],
  part: ["#4b8f68", "part of a system"], job: ["#9a6414", "job"], span: ["#1f7d80", "span of the app"],
  wait: ["--wait", "waits"], sleep: ["--sleep", "sleeps"] };
// Of what leads from thread to thread, in the order of its numbers.
const ways = [["#3d74cc", "queued"], ["#b9802f", "forked"], ["#b9802f", "promoted on a beat"],
  ["#c2514a", "woken"], ["#8a90a0", "called"]];
const PATH = "#e0a100";
const ROW = 17, HEAD = 20, NAMES = 150, GAP = 6;
const element = id => document.getElementById(id);
const lanes = element("lanes"), strip = element("strip"), side = element("side"), tip = element("tip");
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// What is shown: from one time to another, in nanoseconds.
let from = 0, to = Math.max(data.end, 1), chosen = null, needle = "", picked = null;

// Threads from outside that did nothing have no row, nor have those that did least of very many: a
// canvas has an end.
const MOST_OUTSIDE = 500;
const outside = data.rows.filter(row => row.role === "Outside" && row.bars.some(bar => bar[3] !== "sleep"));
outside.sort((a, b) => b.bars.length - a.bars.length);
const undrawn = Math.max(outside.length - MOST_OUTSIDE, 0);
const drawn = new Set(outside.slice(0, MOST_OUTSIDE));
const rows = data.rows.map((row, place) => {
  const isShown = row.role !== "Outside" || drawn.has(row);
  return { ...row, place, isShown, depth: 1, top: HEAD, longest: prefixEnds(row.bars) };
});
const roles = { Outside: "from outside", Frame: "frame thread", Lower: "io, background" };
let height = HEAD;

// The latest end of the bars up to each, so that a search can begin in the middle.
function prefixEnds(bars) {
  let latest = 0;
  return bars.map(bar => latest = Math.max(latest, bar[1]));
}

function firstFrom(list, test) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(list[middle])) high = middle; else low = middle + 1;
  }
  return low;
}

function time(nanos) {
  const size = Math.abs(nanos);
  if (size >= 1e6) return (nanos / 1e6).toFixed(size >= 1e8 ? 1 : 3) + " ms";
  if (size >= 1e3) return (nanos / 1e3).toFixed(1) + " µs";
  return Math.round(nanos) + " ns";
}

// For a ruler: no more digits than it takes.
function tickTime(nanos) {
  const size = Math.abs(nanos);
  if (size === 0) return "0";
  const [unit, name] = size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return Number((nanos / unit).toFixed(3)) + " " + name;
}

// The names in a text, each with the last of its modules, or with none. A search begins where a
// name does, or a long one would be searched from each of its letters.
const short = text => text.replace(/(?<![\p{L}\p{N}_])(?:[\p{L}\p{N}_]+::)+(?=[\p{L}\p{N}_]+::[\p{L}\p{N}_])/gu, "");
const shortest = text => text.replace(/(?<![\p{L}\p{N}_])(?:[\p{L}\p{N}_]+::)+(?=[\p{L}\p{N}_])/gu, "");

// As much of a label as there is room for.
function fitting(context, label, room) {
  // No letter is narrower than a pixel, so much need not be measured.
  const fits = text => text.length <= room && context.measureText(text).width <= room;
  const bare = shortest(label), whole = [short(label), bare, bare.replace(/^part of /, "")].find(fits);
  if (whole !== undefined) return whole;
  let length = 2, most = Math.min(bare.length, Math.max(Math.floor(room), 2));
  while (length < most) {
    const middle = (length + most + 1) >> 1;
    if (fits(bare.slice(0, middle) + "…")) length = middle; else most = middle - 1;
  }
  return length > 2 ? bare.slice(0, length) + "…" : "";
}

// Each row is as high as its bars lie deep between the times that are shown.
function layOut() {
  height = HEAD;
  for (const row of rows) {
    row.top = height;
    if (!row.isShown) continue;
    let deepest = 0;
    eachBar(row, bar => deepest = Math.max(deepest, bar[2]));
    row.depth = deepest + 1;
    height += row.depth * ROW + GAP;
  }
  height += GAP;
}

function eachBar(row, see) {
  for (let place = firstFrom(row.longest, end => end >= from); place < row.bars.length; place++) {
    const bar = row.bars[place];
    if (bar[0] > to) break;
    if (bar[1] >= from) see(bar);
  }
}

function fit(canvas, wide, high) {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(wide * scale);
  canvas.height = Math.round(high * scale);
  canvas.style.width = wide + "px";
  canvas.style.height = high + "px";
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

const width = () => Math.max(element("view").clientWidth, NAMES + 50);
const x = nanos => NAMES + (nanos - from) / (to - from) * (width() - NAMES);
const at = left => from + (left - NAMES) / (width() - NAMES) * (to - from);
const matches = label => needle && data.labels[label].toLowerCase().includes(needle);

function drawRuler(context, wide) {
  const steps = (to - from) / ((wide - NAMES) / 90);
  const power = 10 ** Math.floor(Math.log10(steps));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= steps);
  const zero = chosen ? chosen.begin : 0;
  context.fillStyle = css("--soft");
  context.strokeStyle = css("--line");
  for (let tick = Math.ceil((from - zero) / step) * step + zero; tick < to; tick += step) {
    context.beginPath();
    context.moveTo(x(tick), HEAD - 4);
    context.lineTo(x(tick), height);
    context.stroke();
    if (x(tick) >= NAMES) context.fillText(tickTime(tick - zero), x(tick) + 3, 12);
  }
}

function fill(kind) {
  const [colour] = kinds[kind];
  return colour.startsWith("--") ? css(colour) : colour;
}

function drawBar(context, row, bar, wide) {
  const [begin, end, depth, kind, label] = bar;
  const left = Math.max(x(begin), NAMES), right = Math.min(x(end), wide);
  const top = row.top + depth * ROW, across = Math.max(right - left, 0.6);
  const isFound = matches(label), isPicked = picked && picked.bar === bar;
  context.globalAlpha = needle && !isFound ? 0.25 : 1;
  context.fillStyle = isFound ? "#d3408f" : fill(kind);
  context.fillRect(left, top, across, kind === "sleep" ? 5 : ROW - 2);
  if (isPicked) {
    context.strokeStyle = css("--text");
    context.lineWidth = 2;
    context.strokeRect(left + 1, top + 1, Math.max(across - 2, 1), ROW - 4);
    context.lineWidth = 1;
  }
  if (across > 24 && kind !== "sleep") {
    context.fillStyle = kind === "wait" && !isFound ? css("--wait-text") : "#fff";
    context.fillText(fitting(context, data.labels[label], across - 6), left + 3, top + 11.5);
  }
  context.globalAlpha = 1;
}

function drawRow(context, row, wide) {
  // Bars that are too small to be told apart are drawn as one.
  const drawnTo = [];
  eachBar(row, bar => {
    const right = x(bar[1]);
    if (right - (drawnTo[bar[2]] ?? -1) < 0.5 && !matches(bar[4])) return;
    drawnTo[bar[2]] = right;
    drawBar(context, row, bar, wide);
  });
}

// How high a flow leaves or reaches a row: at the innermost bar of that time.
function flowY(row, time) {
  const after = firstFrom(row.bars, bar => bar[0] > time);
  const around = row.bars.slice(Math.max(after - 32, 0), after).findLast(bar => bar[1] > time);
  return row.top + Math.min(around ? around[2] : 0, row.depth - 1) * ROW + ROW / 2 - 1;
}

function drawFlows(context) {
  const pixel = (to - from) / width();
  let drawn = 0;
  const first = firstFrom(data.flows, flow => flow[3] >= from);
  for (let place = first; place < data.flows.length && drawn < 1500; place++) {
    const [source, left, target, came, way] = data.flows[place];
    if (left > to) continue;
    if (!rows[source].isShown || !rows[target].isShown) continue;
    const ofPicked = picked && came >= picked.bar[0] && left <= picked.bar[1]
      && (source === picked.row || target === picked.row);
    if (source === target || (!ofPicked && came - left < pixel && to - from > 2e7)) continue;
    drawn++;
    const top = flowY(rows[source], left), bottom = flowY(rows[target], came);
    context.strokeStyle = ways[way][0];
    context.globalAlpha = ofPicked ? 1 : 0.45;
    context.beginPath();
    context.moveTo(x(left), top);
    const bend = Math.min(Math.max((x(came) - x(left)) / 2, 8), 60);
    context.bezierCurveTo(x(left) + bend, top, x(came) - bend, bottom, x(came), bottom);
    context.stroke();
    context.globalAlpha = 1;
    context.fillStyle = ways[way][0];
    context.fillRect(x(came) - 1.5, bottom - 1.5, 3, 3);
  }
}

// Below the rows that it runs on, with thin lines where it changes from one to another.
function drawPath(context) {
  if (!chosen || !chosen.path) return;
  context.strokeStyle = PATH;
  let before = null;
  for (const [row, begin, end] of chosen.path) {
    if (!rows[row].isShown) continue;
    const y = rows[row].top + rows[row].depth * ROW + 1;
    if (before !== null && before !== y) line(context, 1, [x(begin), before], [x(begin), y]);
    line(context, 3, [x(begin), y], [Math.max(x(end), x(begin) + 1), y]);
    before = y;
  }
  context.lineWidth = 1;
}

function line(context, wide, begin, end) {
  context.lineWidth = wide;
  context.beginPath();
  context.moveTo(...begin);
  context.lineTo(...end);
  context.stroke();
}

function drawNames(context) {
  context.fillStyle = css("--back");
  context.fillRect(0, 0, NAMES, height);
  context.fillStyle = css("--text");
  for (const row of rows) {
    if (!row.isShown) continue;
    context.fillStyle = css("--text");
    context.fillText(fitting(context, row.name, NAMES - 12), 6, row.top + 11.5);
    if (row.depth === 1) continue;
    context.fillStyle = css("--soft");
    const lost = row.lost ? row.lost + " events lost" : roles[row.role];
    context.fillText(fitting(context, lost, NAMES - 12), 6, row.top + ROW + 9);
  }
}

function draw() {
  const wide = width();
  layOut();
  const context = fit(lanes, wide, Math.max(height, element("view").clientHeight - 4));
  context.font = "11px system-ui, sans-serif";
  drawRuler(context, wide);
  for (const row of rows) if (row.isShown) drawRow(context, row, wide);
  if (element("flows").checked) drawFlows(context);
  if (element("path").checked) drawPath(context);
  drawNames(context);
  drawStrip();
}

// How far apart the frames are in the strip.
const stripStep = () => Math.min(strip.parentElement.clientWidth / Math.max(data.frames.length, 1), 60);

function drawStrip() {
  const wide = strip.parentElement.clientWidth, high = 56;
  const context = fit(strip, wide, high);
  const longest = data.frames.reduce((most, frame) => Math.max(most, frame.end - frame.begin), 1);
  const each = stripStep();
  data.frames.forEach((frame, place) => {
    const tall = Math.max((frame.end - frame.begin) / longest * (high - 16), 2);
    const isSeen = frame.end > from && frame.begin < to;
    context.fillStyle = frame === chosen ? PATH : isSeen ? "#5b8def" : "#9aa0ac";
    context.fillRect(place * each, high - tall, Math.max(each - 1, 1), tall);
  });
  context.fillStyle = css("--soft");
  context.font = "11px system-ui, sans-serif";
  const rest = undrawn ? "; " + undrawn + " more threads from outside, which did less, are not drawn" : "";
  context.fillText(data.frames.length + " frames, the longest " + time(longest) + rest, 6, 11);
}
