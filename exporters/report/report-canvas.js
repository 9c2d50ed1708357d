/* The timeline, on a canvas, and the code that all canvases share. */

function style(name) { return getComputedStyle(document.documentElement).getPropertyValue(name); }
function colorOf(text) {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  const hue = ((hash % 360) + 360) % 360;
  return "hsl(" + hue + " 55% " + (isDark.matches ? "34%" : "74%") + ")";
}
function fitCanvas(canvas, height) {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth || 300;
  canvas.style.height = height + "px";
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  return [context, width];
}
/* Draws a text clipped to its room; draws nothing if fewer than four letters would fit. */
function drawLabel(context, text, x, y, room) {
  if (room < 30) return;
  const shown = text.slice(0, 300), width = context.measureText(shown).width;
  const fits = width <= room ? shown.length : Math.floor(shown.length * room / width) - 1;
  if (fits < shown.length && fits < 4) return;
  context.fillText(fits < shown.length ? shown.slice(0, fits) + "…" : shown, x, y);
}

/* ---- timeline ---- */

const tracksDrawn = 40, countersDrawn = 16;
/* Assigns rows on each track: a span lies below the spans that enclose it. */
function layTracks() {
  const { spans, tracks, names, kinds } = data.timeline, trackRows = tracks.map(() => []);
  for (const [track, name, kind, begin, size] of spans)
    trackRows[track].push({ name: names[name], kind: kinds[kind], begin, end: begin + size, depth: 0 });
  return tracks.map((track, i) => {
    const ends = [];
    let depth = 0;
    trackRows[i].sort((a, b) => a.begin - b.begin || b.end - a.end);
    for (const span of trackRows[i]) {
      while (ends.length && ends[ends.length - 1] <= span.begin) ends.pop();
      span.depth = Math.min(ends.length, 11);
      ends.push(span.end);
      depth = Math.max(depth, span.depth + 1);
    }
    return { track, number: i, spans: trackRows[i], depth };
  }).filter(trackRow => trackRow.spans.length).sort((a, b) => a.track.device - b.track.device ||
    b.spans.length - a.spans.length);
}
/* Finds the innermost span around the time of each end of a link. */
function layLinks(trackRows) {
  const rows = new Map(trackRows.map(trackRow => [trackRow.number, trackRow.spans]));
  const depth = (track, at) => {
    const spans = rows.get(track) || [];
    let low = 0, high = spans.length, deepest = 0;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (spans[middle].begin <= at) low = middle + 1; else high = middle;
    }
    for (let i = low - 1; i >= 0 && low - i < 64; i--)
      if (spans[i].end >= at) deepest = Math.max(deepest, spans[i].depth);
    return deepest;
  };
  return data.timeline.links.filter(([from, , to]) => rows.has(from) && rows.has(to))
    .map(([from, begin, to, end]) => ({ from, begin, to, end, above: depth(from, begin), below: depth(to, end) }));
}
/* Values over time that are drawn below the spans. */
function layCounters() {
  return data.series.filter(each => each.bins.some(bin => bin[2] !== 0))
    .map(each => ({ ...each, most: Math.max(...each.bins.map(bin => bin[2])) }));
}
function findBin(counter, at) {
  const place = Math.floor(at / counter.width), bins = counter.bins;
  let found = null;
  for (const bin of bins) if (bin[0] <= place) found = bin; else break;
  return found;
}
function showTimeline() {
  const target = findBody("timeline"), allTracks = layTracks(), trackRows = allTracks.slice(0, tracksDrawn);
  const allCounters = layCounters(), counters = allCounters.slice(0, countersDrawn), counterHeight = 30;
  const links = layLinks(trackRows), row = 17, head = 18, top = 22;
  const sayLeft = (all, shown, what) => all.length > shown.length ? " " + formatNumber(all.length - shown.length, 0) +
    " more " + what + " are not drawn." : "";
  document.getElementById("timeline").hidden = !trackRows.length;
  if (!trackRows.length) return;
  const left = data.timeline.left_out;
  const canvas = makeElement("canvas", { id: "time", tabindex: "0", role: "img", "aria-label":
    "Timeline; plus and minus zoom, arrows move, Escape shows all" });
  const names = makeElement("input", { type: "search", id: "time-search", placeholder: "Search",
    "aria-label": "Search spans", oninput: draw });
  const found = makeElement("span", { class: "faint", id: "time-found" });
  target.append(makeElement("p", { class: "faint" }, "Drag to move, Ctrl and the wheel or + and − to zoom; " +
    "arrows link launches to kernels and forward to backward operators; bands mark every second step; values over time " +
    "are below." +
    (left ? " " + formatNumber(left, 0) + " spans of at most " + formatTime(data.timeline.least) +
    " are left out." : "") + (data.timeline.links_left_out ? " " +
    formatNumber(data.timeline.links_left_out, 0) + " links are left out." : "") + sayLeft(allTracks, trackRows, "threads and streams") +
    sayLeft(allCounters, counters, "values over time")),
  makeElement("div", { class: "tools" }, makeElement("button", { onclick: () => zoom(0.5), "aria-label": "Zoom in" },
    "+"), makeElement("button", { onclick: () => zoom(2), "aria-label": "Zoom out" }, "−"),
  makeElement("button", { id: "time-all", onclick: () => { view = whole(); draw(); } }, "Show all"), names,
  found), canvas);
  let view = first(), drawn = [], width = 300, drag = null;

  function whole() { return chosen.step ? [chosen.step.begin, chosen.step.end] : [0, length || 1]; }
  /* Begins with the median step, because a whole long recording shows no details; if none of the
   * spans is in it, with the step next in length that has some. */
  function first() {
    const sorted = steps.slice().sort((a, b) => a.duration - b.duration), middle = steps.length >> 1;
    const hasSpans = step => data.timeline.spans.some(([, , , begin, size]) => begin < step.end && begin + size > step.begin);
    const near = sorted.map((step, i) => [Math.abs(i - middle), step]).sort((a, b) => a[0] - b[0]).map(each => each[1]);
    const step = near.find(hasSpans) || near[0];
    return step && steps.length > 1 ? [step.begin, step.end] : whole();
  }
  function zoom(factor, at) {
    const middle = at === undefined ? (view[0] + view[1]) / 2 : at;
    const size = Math.max((view[1] - view[0]) * factor, 100);
    view = [middle - (middle - view[0]) * factor, 0];
    view[1] = view[0] + size;
    draw();
  }
  function move(share) {
    const by = (view[1] - view[0]) * share;
    view = [view[0] + by, view[1] + by];
    draw();
  }
  function x(at) { return (at - view[0]) / (view[1] - view[0]) * width; }
  function drawSteps(context, height) {
    context.fillStyle = style("--band");
    steps.forEach((step, i) => {
      if (step.number >= 0 && i % 2 === 0 && step.end > view[0] && step.begin < view[1])
        context.fillRect(x(step.begin), 0, x(step.end) - x(step.begin), height);
    });
    context.fillStyle = style("--faint");
    for (let i = 0; i < 6; i++)
      drawLabel(context, formatTime(view[0] + (view[1] - view[0]) * i / 6), 4 + width * i / 6, 10, width / 6);
  }
  function draw() {
    const height = top + trackRows.reduce((sum, trackRow) => sum + head + trackRow.depth * row + 6, 0) +
      counters.length * (head + counterHeight);
    const fitted = fitCanvas(canvas, height), context = fitted[0], word = names.value.toLowerCase();
    const places = new Map();
    let y = top, matches = 0;
    width = fitted[1];
    drawn = [];
    drawSteps(context, height);
    for (const trackRow of trackRows) {
      context.fillStyle = style("--faint");
      const who = trackRow.track.name || (trackRow.track.type === 1 ? "thread " : "track ") + trackRow.track.number;
      drawLabel(context, (trackRow.track.device >= 0 ? "device " + trackRow.track.device + ": " : "") + who, 4,
        y + head / 2, width);
      y += head;
      places.set(trackRow.number, y);
      const ends = new Float64Array(12).fill(-1);
      for (const span of trackRow.spans) {
        if (span.end < view[0] || span.begin > view[1]) continue;
        const from = Math.max(x(span.begin), 0), to = Math.min(x(span.end), width);
        const isMatch = word && span.name.toLowerCase().includes(word);
        if (isMatch) matches++;
        if (to - from < 0.5 && from - ends[span.depth] < 0.5 && !isMatch) continue;
        ends[span.depth] = Math.max(to, from + 0.7);
        context.fillStyle = isMatch ? style("--high") : word ? style("--line") : colorOf(span.name ||
          span.kind);
        context.fillRect(from, y + span.depth * row, Math.max(to - from - 0.5, 0.7), row - 1);
        context.fillStyle = isMatch ? style("--ground") : style("--text");
        drawLabel(context, span.name || span.kind, from + 3, y + span.depth * row + row / 2, to - from - 5);
        drawn.push({ span, from, to: Math.max(to, from + 1), y: y + span.depth * row });
      }
      y += trackRow.depth * row + 6;
    }
    drawLinks(context, places);
    for (const counter of counters) {
      drawCounter(context, counter, y);
      y += head + counterHeight;
    }
    found.textContent = word ? formatNumber(matches, 0) + " in view" : "";
  }
  function drawLinks(context, places) {
    context.strokeStyle = context.fillStyle = style("--accent");
    const inView = links.filter(({ begin, end }) => begin >= view[0] && end <= view[1]).slice(0, 300);
    context.globalAlpha = inView.length > 60 ? 0.3 : 0.6;
    for (const { from, begin, to, end, above, below } of inView) {
      drawArrow(context, x(begin), places.get(from) + above * row + row / 2, x(end),
        places.get(to) + below * row + row / 2);
    }
    context.globalAlpha = 1;
    canvas.arrows = inView.length;
  }
  function drawArrow(context, x0, y0, x1, y1) {
    const angle = Math.atan2(y1 - y0, x1 - x0), size = 6;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    for (const side of [-0.45, 0.45])
      context.lineTo(x1 - size * Math.cos(angle + side), y1 - size * Math.sin(angle + side));
    context.fill();
  }
  function drawCounter(context, counter, y) {
    const bottom = y + head + counterHeight - 4, height = counterHeight - 6;
    context.fillStyle = style("--faint");
    drawLabel(context, counter.group + ": " + counter.name + ", at most " + formatValue(counter.most, counter.unit),
      4, y + head / 2, width);
    context.fillStyle = style("--accent");
    context.globalAlpha = 0.45;
    counter.bins.forEach((bin, i) => {
      const next = counter.bins[i + 1], begin = bin[0] * counter.width;
      const end = next ? next[0] * counter.width : begin + counter.width;
      if (end < view[0] || begin > view[1]) return;
      const from = Math.max(x(begin), 0), to = Math.min(x(end), width);
      const size = Math.max(bin[1] / counter.most * height, bin[1] ? 1 : 0);
      context.fillRect(from, bottom - size, Math.max(to - from, 0.7), size);
    });
    context.globalAlpha = 1;
    drawn.push({ counter, from: 0, to: width, y: y + head, height: counterHeight });
  }
  function hit(event) {
    const box = canvas.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    return drawn.find(each => px >= each.from - 1 && px <= each.to + 1 && py >= each.y &&
      py < each.y + (each.height || row));
  }
  function tell(event, found) {
    if (found.span) return showTip(event, (found.span.name || found.span.kind) + "\n" + found.span.kind + ", " +
      formatTime(found.span.end - found.span.begin) + ", at " + formatTime(found.span.begin));
    const at = view[0] + (event.clientX - canvas.getBoundingClientRect().left) / width * (view[1] - view[0]);
    const bin = findBin(found.counter, at), { name, unit, width: size } = found.counter;
    showTip(event, name + " at " + formatTime(at) + "\n" + (bin ? formatValue(bin[1], unit) + ", at most " +
      formatValue(bin[2], unit) + " (mean of " + formatTime(size) + ")" : "no value yet"));
  }
  canvas.addEventListener("pointerdown", event => { drag = { x: event.clientX, view }; });
  addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointermove", event => {
    if (drag) {
      const by = (drag.x - event.clientX) / width * (drag.view[1] - drag.view[0]);
      view = [drag.view[0] + by, drag.view[1] + by];
      hideTip();
      return draw();
    }
    const found = hit(event);
    if (!found) return hideTip();
    tell(event, found);
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("dblclick", event => {
    const found = hit(event);
    if (found && found.span) { view = [found.span.begin, Math.max(found.span.end, found.span.begin + 100)]; draw(); }
  });
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.25 : 0.8,
      view[0] + (event.clientX - box.left) / width * (view[1] - view[0]));
  }, { passive: false });
  canvas.addEventListener("keydown", event => {
    if (event.key === "+") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "ArrowLeft") move(-0.2);
    else if (event.key === "ArrowRight") move(0.2);
    else if (event.key === "Escape") { view = whole(); draw(); }
    else return;
    event.preventDefault();
  });
  addEventListener("resize", draw);
  isDark.addEventListener("change", draw);
  chosen.listeners.push(() => { view = whole(); draw(); });
  canvas.view = () => view;
  canvas.counters = counters;
  draw();
}

/* ---- all ---- */

showHeader();
showFindings();
showComparison();
showSteps();
showTables();
showFlames();
showSeries();
showTimeline();
showMemory();
showDevice();
showAppendix();
showNav();
document.body.dataset.ready = "yes";
