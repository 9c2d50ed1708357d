"use strict";
/* The page's data, its header, findings and tables. */
const data = JSON.parse(document.getElementById("data").textContent);
const hasCharts = typeof d3 !== "undefined";
const isDark = matchMedia("screen and (prefers-color-scheme: dark)");
const chosen = { step: null, listeners: [] };
const length = data.metadata.end - data.metadata.begin;
const partNames = [["operators", "Operators", "#2b73c4"], ["python", "Python", "#5bb5c9"],
  ["gc", "Garbage collection", "#d1495b"], ["data", "Waiting for data", "#d99a1c"],
  ["synchronization", "Waiting for the device", "#8c6bb1"], ["compile", "Compiling", "#2f7d4f"],
  ["other", "Other", "#9aa3af"]];
const deviceNames = [["computing", "Computing", "#6a8f3c"],
  ["communication_not_overlapped", "Communication, not overlapped", "#e0729b"],
  ["free", "Device idle", "#c9b79c"]];

/* ---- small helpers ---- */

function makeElement(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(key, value === true ? "" : value);
  element.append(...children);
  return element;
}
function findBody(id) { return document.querySelector("#" + id + " .body"); }
function formatNumber(value, digits) {
  return value.toLocaleString("en", { maximumFractionDigits: digits === undefined ? 2 : digits });
}
function formatTime(ns) {
  const size = Math.abs(ns);
  if (size >= 1e9) return formatNumber(ns / 1e9, 3) + " s";
  if (size >= 1e6) return formatNumber(ns / 1e6) + " ms";
  if (size >= 1e3) return formatNumber(ns / 1e3) + " µs";
  return formatNumber(ns, 0) + " ns";
}
function formatBytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (Math.abs(n) >= 1024 && unit < 4) { n /= 1024; unit++; }
  return formatNumber(n, unit ? 1 : 0) + " " + units[unit];
}
function formatValue(value, unit) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(" ← ");
  if (typeof value === "boolean") return value ? "yes" : "";
  if (typeof value !== "number") return value;
  if (unit === "ns" || unit === "us") {
    const ns = unit === "us" ? value * 1e3 : value;
    /* a point in time, not a duration */
    return ns > 1e17 ? "at " + formatTime(ns - data.metadata.begin) : formatTime(ns);
  }
  if (unit === "ms") return formatTime(value * 1e6);
  if (unit === "B") return formatBytes(value);
  if (unit === "B/s") return formatBytes(value) + "/s";
  return formatNumber(value) + (unit === "%" ? " %" : "");
}
function readRows(kind) {
  const table = data.tables[kind];
  if (!table) return [];
  const names = table.columns.map(column => column.name);
  return table.rows.map(row => {
    const object = { name: row[0], begin: row[1], end: row[2], incomplete: row[3] };
    names.forEach((name, i) => { object[name] = row[i + 4]; });
    return object;
  });
}
function readColumns(kind) {
  const table = data.tables[kind];
  return [{ name: "name", title: "Name" }].concat(table.columns.map(column => ({ name: column.name, title: column.name.replace(/_/g, " "), unit: column.unit,
      summary: column.summary })));
}
function readRest(kind) {
  const table = data.tables[kind], left = table.total_rows - table.rows.length;
  if (!left) return null;
  const sums = { name: formatNumber(left, 0) + " more rows, summed up" };
  const adds = column => ["ns", "us", "ms", "B", ""].includes(column.unit) &&
    !/min|max|average|number|device|step/.test(column.name);
  table.columns.forEach((column, i) => { if (adds(column)) sums[column.name] = table.rest[i]; });
  return sums;
}
const tip = document.getElementById("tip");
function showTip(event, text) {
  tip.textContent = text;
  tip.style.whiteSpace = "pre-line";
  tip.style.display = "block";
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 4)) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 4)) + "px";
}
function hideTip() { tip.style.display = "none"; }

/* ---- steps ---- */

const steps = readRows("step_part").sort((a, b) => a.begin - b.begin);
function nameStep(step) { return step.number < 0 ? "the whole window" : "step " + step.number; }
function chooseStep(step) {
  chosen.step = chosen.step === step ? null : step;
  chosen.listeners.forEach(listener => listener());
}
function inStep(begin) {
  return !chosen.step || (begin >= chosen.step.begin && begin < chosen.step.end);
}

/* ---- header ---- */

function makeEntry(title, value) {
  return makeElement("div", {}, makeElement("span", {}, title), makeElement("b", {}, value));
}
/* The versions of the software on which the program ran, from the metadata. */
function namedVersions() {
  const known = new Map(readRows("metadata").map(row => [row.name, row.value]));
  return [["python_version", "Python"], ["torch_version", "PyTorch"], ["torch_npu_version", "torch_npu"],
    ["cann_version", "CANN"], ["kernel_release", "kernel"]].filter(([key]) => known.get(key))
    .map(([key, title]) => title + " " + String(known.get(key)).slice(0, 40));
}
/* Imported results may have no record for each step: then counts the rows of step_part, which the
 * pass derives from the framework's marks. */
function countSteps() {
  const table = data.tables.step_part, own = steps.filter(step => step.number >= 0)
    .map(step => step.duration).sort((a, b) => a - b);
  if (data.steps.count || !own.length) return data.steps;
  const isWhole = table.total_rows === table.rows.length, at = share => own[Math.round(share * (own.length - 1))];
  return { count: table.total_rows, median: isWhole ? at(0.5) : null, p95: isWhole ? at(0.95) : null };
}
function showHeader() {
  const metadata = data.metadata, clocks = readRows("device_clock"), counts = countSteps();
  const header = document.getElementById("header");
  const own = readRows("finding").find(each => each.name === "own_cost");
  document.title = "Strobe report: " + (metadata.command || metadata.host);
  header.append(makeElement("h1", {}, metadata.command || "Strobe report"));
  header.append(makeElement("p", { class: "faint" }, [metadata.host, metadata.rank >= 0 ? "rank " + metadata.rank : "",
    metadata.pid ? "process " + metadata.pid : "", new Date(metadata.begin / 1e6).toISOString().replace("T", " "),
    "Strobe " + metadata.strobe_version, ...namedVersions()].filter(Boolean).join(" · ")));
  if (metadata.lost) header.append(makeElement("p", { class: "lost", role: "alert" },
    formatNumber(metadata.lost, 0) + " records were lost: numbers may be too small (see the appendix)."));
  if (!metadata.complete) header.append(makeElement("p", { class: "lost", role: "alert" },
    "The capture is not complete: it was not closed, or parts of it cannot be read."));
  const error = clocks.map(clock => clock.error).concat((data.source || {}).clock_error)
    .filter(value => value !== null && value !== undefined);
  header.append(makeElement("div", { class: "summary" },
    makeEntry("Recorded", formatTime(length)), makeEntry("Steps", formatNumber(counts.count, 0)),
    makeEntry("Median step", counts.median ? formatTime(counts.median) : "–"),
    makeEntry("95 % of steps under", counts.p95 ? formatTime(counts.p95) : "–"),
    makeEntry("Records", formatNumber(metadata.stored, 0)), makeEntry("Lost", formatNumber(metadata.lost, 0)),
    makeEntry("Profiler's share of steps", own ? formatNumber(own.share) + " %" :
      counts.count ? "under 2 %" : "–"),
    makeEntry("Clock error", error.length ? formatTime(Math.max(...error)) : "unknown")));
  if (!hasCharts) header.append(makeElement("p", { class: "faint", id: "no-charts" },
    "Tables replace the charts: the library of charts was missing when the page was made " +
    "(Debian package node-d3)."));
}
function showNav() {
  const nav = document.getElementById("nav");
  document.querySelectorAll("main section").forEach(section => {
    if (!section.hidden)
      nav.append(makeElement("a", { href: "#" + section.id }, section.querySelector("h2").textContent));
  });
  const filter = makeElement("span", { id: "filter" });
  nav.append(filter);
  chosen.listeners.push(() => {
    filter.replaceChildren();
    if (chosen.step) filter.append(nameStep(chosen.step),
      makeElement("button", { onclick: () => chooseStep(chosen.step) }, "Show all steps"));
  });
}

/* ---- findings ---- */

function showFinding(each) {
  const share = each.share === null ? "" : formatNumber(each.share, 1) + " % of step time";
  return makeElement("div", { class: "finding " + each.severity, id: "finding-" + each.name },
    makeElement("h3", {}, makeElement("span", { class: "tag" }, each.severity === "unknown" ? "cannot tell" :
      each.severity), each.summary, makeElement("span", { class: "share" }, share)),
    each.share === null ? "" : makeElement("div", { class: "bar" },
      makeElement("i", { style: "width:" + Math.max(0, Math.min(each.share, 100)) + "%" })),
    makeElement("p", {}, each.advice),
    makeElement("p", { class: "faint" }, "Based on " + formatNumber(each.count, 0) + " records of " + each.table +
      (each.evidence ? ": " + each.evidence : "") + ". How sure: " + formatNumber(each.confidence, 0) + " %."));
}
function showFindings() {
  const all = readRows("finding"), target = findBody("findings");
  if (!all.length) {
    target.append(makeElement("p", {}, "Nothing stands out: no rule found a problem in the recording."));
    return;
  }
  all.slice(0, 7).forEach(each => target.append(showFinding(each)));
  if (all.length > 7) target.append(makeElement("details", {}, makeElement("summary", {},
    formatNumber(all.length - 7, 0) + " more"), ...all.slice(7).map(showFinding)));
}

/* ---- tables ---- */

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return typeof a === "number" && typeof b === "number" ? b - a : String(a) < String(b) ? -1 : 1;
}
/* A table with a search field; a click on a column's head sorts the rows. `source()`: {columns,
 * rows, rest, note}. */
function makeTable(id, source) {
  const search = makeElement("input", { type: "search", placeholder: "Search", "aria-label": "Search",
    oninput: fill });
  const found = makeElement("span", { class: "faint" }), note = makeElement("p", { class: "faint" });
  const table = makeElement("table", { id });
  const frame = makeElement("div", {}, makeElement("div", { class: "tools" }, search, found), note,
    makeElement("div", { class: "scroll", tabindex: "0" }, table));
  let sort = null, isReverse = false;

  function head(column) {
    const isSorted = sort === column.name;
    return makeElement("th", { class: column.unit !== undefined && column.isNumber ? "n" : "", title:
      column.summary, "aria-sort": isSorted ? isReverse ? "ascending" : "descending" : "none" },
      makeElement("button", { onclick: () => {
        isReverse = sort === column.name && !isReverse;
        sort = column.name;
        fill();
        const again = [...table.querySelectorAll("th button")][shown.indexOf(column.name)];
        if (again) again.focus();
      } }, column.title + (isSorted ? isReverse ? " ▲" : " ▼" : "")));
  }
  let shown = [];
  function line(row, columns, name) {
    return makeElement("tr", name ? { class: name } : {}, ...columns.map(column =>
      makeElement("td", { class: column.isNumber ? "n" : column === caller || column === launcher ? "stack" : "" },
        formatValue(row[column.name], column.unit) +
        (column.name === "name" && row.incomplete ? " (incomplete)" : ""))));
  }
  function fill() {
    const { columns, rows, rest, note: text } = source();
    const used = columns.filter(column => rows.some(row => row[column.name] !== null &&
      row[column.name] !== undefined && row[column.name] !== ""));
    for (const column of used)
      column.isNumber = rows.some(row => typeof row[column.name] === "number");
    shown = used.map(column => column.name);
    const word = search.value.toLowerCase();
    const kept = rows.filter(row => !word || used.some(column =>
      String(row[column.name]).toLowerCase().includes(word)));
    if (sort) kept.sort((a, b) => compare(a[sort], b[sort]) * (isReverse ? -1 : 1));
    const shares = used.filter(column => column.unit === "%" && column.summary && !/%/.test(column.title))
      .map(column => column.title + ": " + column.summary.replace(/\.$/, "").replace(/^./, letter => letter.toLowerCase()));
    note.textContent = [text, shares.join("; ")].filter(Boolean).join(" ");
    note.hidden = !note.textContent;
    found.textContent = formatNumber(kept.length, 0) + (kept.length === 1 ? " row" : " rows");
    table.replaceChildren(makeElement("thead", {}, makeElement("tr", {}, ...used.map(head))),
      makeElement("tbody", {}, ...kept.map(row => line(row, used)),
        ...(rest && !word ? [line(rest, used, "rest")] : [])));
  }
  frame.fill = fill;
  fill();
  return frame;
}
function kindTable(kind, holds) {
  return makeTable("table-" + kind, () => ({ columns: readColumns(kind), rest: readRest(kind),
    rows: readRows(kind).filter(row => !holds || row[holds]) }));
}
/* Spans of a kind in the chosen step, each with the one that encloses it on its track, and its self
 * time. */
function nestSpans(kind) {
  const { spans, kinds } = data.timeline, open = new Map(), place = kinds.indexOf(kind);
  return spans.filter(span => span[2] === place && inStep(span[3]))
    .sort((a, b) => a[3] - b[3] || b[4] - a[4]).map(span => {
      const stack = open.get(span[0]) || [];
      open.set(span[0], stack);
      while (stack.length && stack[stack.length - 1].end <= span[3]) stack.pop();
      const parent = stack[stack.length - 1] || null;
      const node = { span, parent, end: span[3] + span[4], self: span[4] };
      if (parent) parent.self -= span[4];
      stack.push(node);
      return node;
    });
}
/* Sums the spans of the timeline in the chosen step by name. */
function sumSpans(kind) {
  const sums = new Map();
  for (const { span, self } of nestSpans(kind)) {
    const sum = sums.get(span[1]) || { name: data.timeline.names[span[1]], calls: 0, total: 0, self: 0 };
    sums.set(span[1], sum);
    sum.calls++;
    sum.total += span[4];
    sum.self += self;
  }
  return [...sums.values()].sort((a, b) => b.self - a.self);
}
function addPercentiles(list, kind) {
  const known = new Map((data.percentiles[kind] || []).map(each => [each[0], each]));
  for (const row of list) {
    const found = known.get(row.name);
    const most = row.host_max || row.max || Infinity;
    row.p50 = found ? Math.min(found[1], most) : null;
    row.p95 = found ? Math.min(found[2], most) : null;
  }
  return list;
}
const spanColumns = [{ name: "name", title: "Name" }, { name: "calls", title: "calls", unit: "" },
  { name: "self", title: "self", unit: "ns" }, { name: "total", title: "total", unit: "ns" }];
const percentiles = [{ name: "p50", title: "p50", unit: "ns", summary: "Median, within 9 %" },
  { name: "p95", title: "p95", unit: "ns", summary: "95 % take at most this long, exact to 9 %" }];
/* For each kernel the path that launched it most often, from the links in the page. */
function findLaunchers() {
  const { spans, names, tracks, links } = data.timeline, hosts = new Map(), kernels = new Map();
  spans.forEach(span => {
    if (tracks[span[0]].device >= 0) kernels.set(span[0] + " " + span[3], names[span[1]]);
  });
  nestSpans("cpu_op").forEach(node => {
    const list = hosts.get(node.span[0]) || [];
    hosts.set(node.span[0], list);
    list.push(node);
  });
  const counts = new Map(), found = new Map();
  for (const [from, begin, to, at] of links) {
    const kernel = kernels.get(to + " " + at);
    const inside = (hosts.get(from) || []).filter(node => node.span[3] <= begin && node.end >= begin);
    if (!kernel || !inside.length) continue;
    const path = [];
    for (let node = inside[inside.length - 1]; node; node = node.parent) path.push(names[node.span[1]]);
    const key = kernel + "\n" + path.join("\n"), n = (counts.get(key) || 0) + 1;
    counts.set(key, n);
    if (n > (found.get(kernel) || { n: 0 }).n) found.set(kernel, { n, path });
  }
  return found;
}
function addLaunchers(rows) {
  const launchers = findLaunchers();
  rows.forEach(row => { row.launcher = (launchers.get(row.name) || { path: null }).path; });
  return rows;
}
const launcher = { name: "launcher", title: "launched by", summary:
  "Operators around the launch, the innermost first, from the links in the page" };
/* The callers of each operator or function, from the path with most time among the paths in the
 * page that end with it. */
function findCallers(kind) {
  const found = new Map();
  data.flames.sources.filter(source => source.kind === kind).forEach(source => source.paths.forEach(([, ...path]) => {
    const name = data.flames.frames[path[path.length - 1]];
    if (path.length > 1 && !found.has(name))
      found.set(name, path.slice(0, -1).reverse().slice(0, 5).map(frame => nameFrame(data.flames.frames[frame])));
  }));
  return found;
}
function addCallers(rows, kind) {
  const callers = findCallers(kind);
  rows.forEach(row => { row.stack = callers.get(row.name) || null; });
  return rows;
}
const caller = { name: "stack", title: "called from", summary:
  "Its callers on the path with most time, the innermost first, from the paths in the page" };
/* For all steps the pass's table; for one step the sums from the timeline. */
function stepTable(kind, ofSpans) {
  return () => {
    const isKernels = kind === "op_statistic", isOperators = kind === "operator_average";
    const add = rows => isKernels ? addLaunchers(rows) : isOperators ? addCallers(rows, "stack_total") : rows;
    const more = isKernels ? [launcher] : isOperators ? [caller] : [];
    if (!chosen.step) return { columns: readColumns(kind).concat(percentiles, more),
      rest: readRest(kind), rows: add(addPercentiles(readRows(kind), ofSpans)) };
    const left = data.timeline.left_out;
    return { columns: spanColumns.concat(more), rows: add(sumSpans(ofSpans)), note:
      "Only " + nameStep(chosen.step) + (left ? "; spans of at most " + formatTime(data.timeline.least) +
      " are left out." : ".") };
  };
}
/* Kernels and other tasks by their full names; the pass sums them up only by type. */
function nameTable() {
  const columns = [{ name: "name", title: "Name" }, { name: "calls", title: "count", unit: "" },
    { name: "total", title: "total", unit: "ns" }, ...percentiles, launcher];
  if (chosen.step) return { columns: spanColumns.concat(launcher), rows: addLaunchers(sumSpans("device_task")),
    note: "Only " + nameStep(chosen.step) + "." };
  const all = (data.percentiles.device_task || []).map(([name, p50, p95, calls, total]) =>
    ({ name, calls, total, p50, p95 }));
  const [calls, total] = data.percentiles.left_out.device_task, left = all.slice(500);
  const add = key => left.reduce((sum, row) => sum + row[key], 0);
  return { columns, rows: addLaunchers(all.slice(0, 500)), rest: left.length || calls ? { name: "all others, summed up",
    calls: add("calls") + calls, total: add("total") + total } : null };
}
function hasOtherNames() {
  const types = new Set(readRows("op_statistic").map(row => row.name));
  return (data.percentiles.device_task || []).some(([name]) => !types.has(name));
}
/* For all steps the pass's table; for one step sums of its samples and Python calls. */
function functionTable() {
  const columns = readColumns("function").concat(caller);
  if (!chosen.step) return { columns, rest: readRest("function"), rows: addCallers(readRows("function"), "call_path") };
  return { columns, rows: addCallers(sumFunctions(), "call_path"), note: "Only " + nameStep(chosen.step) + "." };
}
function showTables() {
  const wanted = [["operator_average", "Operators", "cpu_op"], ["op_statistic", "Kernels",
    "device_task"], ["kernel_name", "Kernels and tasks by name", "device_task"], ["function", "Functions", null], ["api_statistic", "Interface calls", "api_call"]];
  const there = wanted.filter(each => data.tables[each[0]] || (each[0] === "kernel_name" && hasOtherNames()));
  const target = findBody("tables"), tabs = makeElement("div", { class: "tools", role: "tablist" });
  const frame = makeElement("div", {});
  if (!there.length) {
    document.getElementById("tables").hidden = true;
    return;
  }
  const made = there.map(([kind, title, ofSpans]) => {
    const table = makeTable("table-" + kind, kind === "kernel_name" ? nameTable :
      ofSpans ? stepTable(kind, ofSpans) : functionTable);
    const tab = makeElement("button", { role: "tab", id: "tab-" + kind, onclick: () => select(tab, table) },
      title);
    tabs.append(tab);
    return { tab, table };
  });
  function select(tab, table) {
    made.forEach(each => each.tab.setAttribute("aria-selected", each.tab === tab));
    frame.replaceChildren(table);
  }
  target.append(tabs, frame);
  select(made[0].tab, made[0].table);
  chosen.listeners.push(() => made.forEach(each => each.table.fill()));
}

/* ---- the other sections ---- */

function showKinds(id, kinds) {
  let n = 0;
  for (const [kind, title, holds] of kinds) {
    if (!data.tables[kind]) continue;
    findBody(id).append(makeElement("h3", {}, title), kindTable(kind, holds));
    n++;
  }
  return n;
}
/* Describes the comparison in words: the totals, how many rows changed, and what counts as a
 * change. */
function describeComparison(comparison) {
  const { total, metric, value, max_q: maxQ, least_effect: least, changed_rows: changed, total_rows: rows } = comparison;
  const judge = row => row.changed ? row.difference > 0 ? "slower" : "faster" : "not changed";
  const sum = total && total.a && total.b ? "In total: " + formatTime(total.a.value) + " in A, " +
    formatTime(total.b.value) + " in B (" + judge(total) + "). " : "";
  return sum + formatNumber(changed || 0, 0) + " of " + formatNumber(rows || 0, 0) + " rows changed beyond chance: q at most " +
    maxQ + (least ? " and a difference of " + formatTime(least) + " or more" : "") + ". Values are " +
    String(metric).replace(/_/g, " ") + " of the " + value + "." + (rows > comparison.rows.length ? " The page has the first " +
    formatNumber(comparison.rows.length, 0) + " rows; strobe diff --all shows the others." : "");
}
function showComparison() {
  const section = document.getElementById("comparison"), comparison = data.comparison;
  section.hidden = !comparison;
  if (!comparison) return;
  const list = (comparison.rows || []).map(row => ({
    name: Array.isArray(row.path) ? row.path.join(" / ") : row.path || row.name,
    a: row.a ? row.a.value : null, b: row.b ? row.b.value : null,
    difference: row.difference, percent: row.relative, q: row.q,
    verdict: row.changed ? row.difference > 0 ? "slower" : "faster" : "not changed" }));
  const sides = side => side && side.runs ? side.runs.map(run => run.path).join(", ") : "";
  section.querySelector(".body").append(
    makeElement("p", {}, "A: " + sides(comparison.a)), makeElement("p", {}, "B: " + sides(comparison.b)),
    makeElement("p", { class: "faint", id: "compared" }, describeComparison(comparison)),
    makeTable("table-comparison", () => ({ rows: list, columns: [{ name: "name", title: "What" },
      { name: "a", title: "A", unit: "ns" }, { name: "b", title: "B", unit: "ns" },
      { name: "difference", title: "difference", unit: "ns" },
      { name: "percent", title: "difference %", unit: "%" }, { name: "q", title: "q", unit: "" },
      { name: "verdict", title: "verdict" }] })));
}
/* The configuration and the files of the result. */
function showSource(target) {
  const source = data.source;
  if (!source) return;
  for (const [name, text] of source.configuration)
    target.append(makeElement("details", {}, makeElement("summary", {}, "Configuration: " + name),
      makeElement("pre", {}, text)));
  if (source.configuration_left_out) target.append(makeElement("p", { class: "faint" }, "Configuration: " +
    formatNumber(source.configuration_left_out, 0) + " more files are left out."));
  if (!source.files.length) return;
  target.append(makeElement("h3", {}, "Files of the result"), makeTable("table-files", () => ({
    rows: source.files.map(([name, bytes]) => ({ name, bytes })),
    columns: [{ name: "name", title: "Name" }, { name: "bytes", title: "size", unit: "B" }] })));
  if (source.files_left_out) target.append(makeElement("p", { class: "faint" },
    formatNumber(source.files_left_out, 0) + " more files are left out."));
}
function showAppendix() {
  const target = findBody("appendix"), stored = data.metadata.stored, lost = data.metadata.lost;
  target.append(makeElement("p", {}, formatNumber(stored + lost, 0) + " records were offered: " + formatNumber(stored, 0) +
    " stored, " + formatNumber(lost, 0) + " lost."));
  if (data.halvings) target.append(makeElement("p", { class: "faint", id: "halvings" },
    "The page would have more than 5 MB: it has " + 2 ** data.halvings + " times fewer spans, paths, samples, values " +
    "over time and names than a page may have."));
  if (!data.has_all_texts) target.append(makeElement("p", { class: "faint", id: "texts" },
    "There are too many names for a page: the least important are shown as “…”."));
  showKinds("appendix", [["loss", "Losses"], ["diagnostic", "What is missing"],
    ["correlation", "Links between records"], ["device_clock", "Clocks"],
    ["sampling", "Sampling"], ["metadata", "Configuration and metadata", "value"]]);
  showSource(target);
  if (data.licence) target.append(makeElement("details", {}, makeElement("summary", {},
    "The licence of the charts (d3)"), makeElement("pre", {}, data.licence)));
}
