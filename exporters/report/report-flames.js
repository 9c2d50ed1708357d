/* The flame graph of all steps or of one, on a canvas. */

/* How much longer or shorter each operator takes than in the other result, by its name; in ns per
 * step. */
const differences = new Map();
for (const row of (data.comparison || {}).rows || [])
  if (row.path && row.path.length && row.difference !== null)
    differences.set(row.path[0], (differences.get(row.path[0]) || 0) + row.difference);
const widest = Math.max(1, ...[...differences.values()].map(Math.abs));
/* Red: longer, blue: shorter; a stronger colour means a larger difference. */
function colorOfDifference(text) {
  const share = (differences.get(text) || 0) / widest;
  if (Math.abs(share) < 0.01) return style("--line");
  return "hsl(" + (share > 0 ? 0 : 215) + " 80% 60% / " + (0.25 + 0.75 * Math.abs(share)) + ")";
}
/* ---- one step ---- */

/* Paths of the chosen step, from the samples in the page. */
function gatherSamples() {
  const { every, samples, paths, frames } = data.samples, sums = new Map();
  for (const [at, time, path] of samples)
    if (inStep(at)) sums.set(path, (sums.get(path) || 0) + time * every);
  return { frames, paths: [...sums].map(([path, time]) => [time, ...paths[path]]), note: every > 1 ?
    "The page has one of every " + every + " samples, which counts for all of them." : "" };
}
/* Paths of the chosen step, from the operators of the timeline: their self times by call path. */
function gatherOperators() {
  const { names, least, left_out: left } = data.timeline, sums = new Map();
  for (const node of nestSpans("cpu_op")) {
    const path = [];
    for (let each = node; each; each = each.parent) path.unshift(each.span[1]);
    const key = path.join(), sum = sums.get(key) || [0, ...path];
    sums.set(key, sum);
    sum[0] += Math.max(node.self, 0);
  }
  return { frames: names, paths: [...sums.values()].filter(sum => sum[0] > 0), note: left ?
    "Spans of at most " + formatTime(least) + " are left out." : "" };
}
/* The paths of a source for all steps, or for the chosen one. */
function filterSource(source) {
  const gather = { call_path: gatherSamples, stack_total: gatherOperators }[source.kind];
  if (chosen.step && gather) {
    const found = gather();
    return { ...found, unit: source.unit, note: "Only " + nameStep(chosen.step) + ". " + found.note };
  }
  const left = source.left_out ? formatNumber(source.left_out, 0) + " more paths with " +
    formatValue(source.rest, source.unit) + " are left out." : "";
  return { frames: data.flames.frames, paths: source.paths, unit: source.unit, note: left +
    (chosen.step ? " For all steps, because these paths have no times." : "") };
}
/* Functions of the chosen step, from its samples and Python calls. */
function sumFunctions() {
  const { frames, paths } = gatherSamples(), sums = new Map();
  let all = 0;
  for (const [time, , ...path] of paths) { /* without the thread */
    all += time;
    new Set(path).forEach(frame => {
      const sum = sums.get(frame) || { name: frames[frame], source: "cpu_sample", self: 0, total: 0 };
      sums.set(frame, sum);
      sum.total += time;
      if (frame === path[path.length - 1]) sum.self += time;
    });
  }
  const found = [...sums.values()];
  found.forEach(sum => { sum.self_share = 100 * sum.self / all; sum.total_share = 100 * sum.total / all; });
  sumSpans("python_call").forEach(sum => found.push({ name: sum.name, source: "python_call",
    count: sum.calls, self: sum.self, total: sum.total }));
  return found.sort((a, b) => b.self - a.self);
}

/* ---- all ---- */

/* `isFrom`: paths start at the innermost frame. */
function growTree(source, isFrom) {
  const root = { name: "all", value: 0, children: new Map(), parent: null, depth: 0 };
  for (const [value, ...frames] of source.paths) {
    let node = root;
    root.value += value;
    for (const frame of isFrom ? frames.reverse() : frames) {
      let next = node.children.get(frame);
      if (!next) {
        next = { name: source.frames[frame] || "(unknown)", value: 0, children: new Map(),
          parent: node, depth: node.depth + 1 };
        node.children.set(frame, next);
      }
      next.value += value;
      node = next;
    }
  }
  return root;
}
/* Puts the function of a Python frame first, because a box often has room only for the begin of a
 * text. */
function nameFrame(text) {
  const found = /^(?:.*\/)?([^/]+)\((\d+)\): (.+)$/.exec(text);
  return found ? found[3] + " (" + found[1] + ":" + found[2] + ")" : text;
}
function showFlames() {
  const target = findBody("flames"), sources = data.flames.sources, row = 18;
  document.getElementById("flames").hidden = !sources.length;
  if (!sources.length) return;
  const state = { source: 0, isInverted: false, isIcicle: true, isDifference: false, word: "", root: null, zoom: null,
    drawn: [] };
  const canvas = makeElement("canvas", { id: "flame", tabindex: "0", role: "img",
    "aria-label": "Flame graph; click a frame to enlarge it, Escape shows all" });
  const note = makeElement("p", { class: "faint" }), found = makeElement("span", { class: "faint", id: "flame-found" });
  const pick = makeElement("select", { "aria-label": "What", onchange: event => {
    state.source = +event.target.value; grow(); } },
    ...sources.map((source, i) => makeElement("option", { value: i }, source.name)));
  const press = (title, key, change) => makeElement("button", { id: "flame-" + key, "aria-pressed": false,
    onclick: event => { state[key] = !state[key]; event.target.setAttribute("aria-pressed", state[key]);
      change(); } }, title);
  target.append(makeElement("div", { class: "tools" }, pick, press("Invert", "isInverted", grow),
    press("Icicle", "isIcicle", draw), differences.size ?
    press("Difference", "isDifference", draw) : "", makeElement("button", { id: "flame-reset", onclick: () => {
      state.zoom = state.root; draw(); } }, "Show all"),
    makeElement("input", { type: "search", id: "flame-search", placeholder: "Search", "aria-label":
      "Search frames", oninput: event => { state.word = event.target.value.toLowerCase(); draw(); } }),
    found), note, canvas);
  target.querySelector("#flame-isIcicle").setAttribute("aria-pressed", true);

  function grow() {
    const source = filterSource(sources[state.source]);
    state.root = state.zoom = growTree(source, state.isInverted);
    note.textContent = source.note;
    draw();
  }
  function deepest(node) {
    let depth = node.depth;
    for (const child of node.children.values()) depth = Math.max(depth, deepest(child));
    return depth;
  }
  function draw() {
    const depth = deepest(state.zoom) + 1, height = Math.min(depth, 60) * row + 2;
    const [context, width] = fitCanvas(canvas, height);
    const dim = style("--line"), text = style("--text"), mark = style("--high");
    let matched = 0;
    state.drawn = [];
    state.width = width;
    function box(node, x, size, isInside) {
      const y = state.isIcicle ? node.depth * row : height - (node.depth + 1) * row;
      const isMatch = state.word && node.name.toLowerCase().includes(state.word);
      if (size < 0.4 || node.depth >= 60) return;
      if (isMatch && !isInside) matched += node.value;
      context.fillStyle = isMatch ? mark : state.word ? dim : state.isDifference ?
        colorOfDifference(node.name) : colorOf(node.name);
      context.fillRect(x, y, Math.max(size - 0.6, 0.4), row - 1);
      context.fillStyle = isMatch ? style("--ground") : text;
      drawLabel(context, nameFrame(node.name), x + 4, y + row / 2, size - 6);
      state.drawn.push({ node, x, y, size });
      let at = x;
      for (const child of [...node.children.values()].sort((a, b) => b.value - a.value)) {
        const part = size * child.value / node.value;
        box(child, at, part, isInside || isMatch);
        at += part;
      }
    }
    const above = [];
    for (let node = state.zoom.parent; node; node = node.parent) above.unshift(node);
    for (const node of above) {
      const y = state.isIcicle ? node.depth * row : height - (node.depth + 1) * row;
      context.fillStyle = dim;
      context.fillRect(0, y, width, row - 1);
      context.fillStyle = text;
      drawLabel(context, node.name, 4, y + row / 2, width - 8);
      state.drawn.push({ node, x: 0, y, size: width });
    }
    box(state.zoom, 0, width, false);
    found.textContent = state.word ? "Found: " + formatNumber(100 * matched / state.zoom.value) + " %" : "";
  }
  function at(event) {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return state.drawn.find(each => x >= each.x && x < each.x + each.size && y >= each.y &&
      y < each.y + row);
  }
  canvas.addEventListener("click", event => {
    const hit = at(event);
    if (hit) { state.zoom = hit.node; draw(); }
  });
  canvas.addEventListener("keydown", event => {
    const children = [...state.zoom.children.values()].sort((a, b) => b.value - a.value);
    if (event.key === "Escape") state.zoom = state.root;
    else if (event.key === "ArrowDown" && children.length) state.zoom = children[0];
    else if (event.key === "ArrowUp" && state.zoom.parent) state.zoom = state.zoom.parent;
    else return;
    event.preventDefault();
    draw();
  });
  canvas.addEventListener("mousemove", event => {
    const hit = at(event);
    if (!hit) return hideTip();
    showTip(event, hit.node.name + "\n" + formatValue(hit.node.value, sources[state.source].unit) + ", " +
      formatNumber(100 * hit.node.value / state.root.value) + " %");
  });
  canvas.addEventListener("mouseleave", hideTip);
  addEventListener("resize", draw);
  isDark.addEventListener("change", draw);
  chosen.listeners.push(grow);
  canvas.redraw = draw;
  canvas.state = state;
  grow();
}

