/* Steps and values over time, by d3. */

function makeLegend(names) {
  return makeElement("div", { class: "legend" }, ...names.map(([, title, color]) =>
    makeElement("span", {}, makeElement("i", { style: "background:" + color }), title)));
}
/* maximum number of bars; if there are more steps, only the longest have one */
const stepsDrawn = 120;
function stackedBars(target, list, names, unit, word = "step") {
  const width = Math.max(target.clientWidth, 280), height = 230;
  const edge = { left: 62, right: 8, top: 22, bottom: 26 };
  const scale = unit === "us" ? 1e3 : 1;
  const addUp = (row, of) => d3.sum(of, ([key]) => Math.max(0, row[key] || 0));
  const sums = list.map(step => Math.max(addUp(step, names) * scale,
    step.onDevice ? addUp(step.onDevice, deviceNames) * 1e3 : 0));
  const hasDevice = list.some(step => step.onDevice);
  const x = d3.scaleBand().domain(d3.range(list.length)).range([edge.left, width - edge.right])
    .padding(0.15);
  /* A step that is far longer than the others would flatten them, so its bar is cut off and
   * marked. */
  const usual = d3.quantile(sums.slice().sort((a, b) => a - b), 0.9) || 1;
  const most = d3.max(sums) > 4 * usual ? 2 * usual : d3.max(sums) || 1;
  const y = d3.scaleLinear().domain([0, most]).nice().clamp(true)
    .range([height - edge.bottom, edge.top]);
  const svg = d3.select(target).append("svg").attr("width", width).attr("height", height)
    .attr("role", "group");
  const every = Math.ceil(list.length / Math.max(1, Math.floor(width / 60)));
  svg.append("g").attr("transform", "translate(0," + (height - edge.bottom) + ")").call(
    d3.axisBottom(x).tickValues(d3.range(0, list.length, every)).tickFormat(i => list[i].label)
      .tickSizeOuter(0));
  svg.append("g").attr("transform", "translate(" + edge.left + ",0)")
    .call(d3.axisLeft(y).ticks(5).tickFormat(formatTime));
  list.forEach((step, i) => {
    const group = svg.append("g").attr("class", "step").attr("tabindex", 0).attr("role", "button")
      .attr("data-number", step.label).attr("aria-label", word + " " + step.label + ", " + formatTime(sums[i]));
    /* The device's bar is next to the thread's. */
    const stack = (row, of, factor, at, width) => {
      let from = 0;
      for (const [key, , color] of of) {
        const value = Math.max(0, row[key] || 0) * factor;
        group.append("rect").attr("x", x(i) + at * x.bandwidth()).attr("width", width * x.bandwidth())
          .attr("y", y(from + value)).attr("height", Math.max(0, y(from) - y(from + value))).attr("fill", color);
        from += value;
      }
    };
    stack(step, names, scale, 0, hasDevice ? 0.62 : 1);
    if (step.onDevice) stack(step.onDevice, deviceNames, 1e3, 0.66, 0.34);
    if (sums[i] > y.domain()[1]) group.append("text").attr("x", x(i))
      .attr("y", edge.top - 6)
      .text("↑ " + formatTime(sums[i]));
    group.append("rect").attr("class", "over").attr("x", x(i)).attr("width", x.bandwidth())
      .attr("y", edge.top).attr("height", height - edge.bottom - edge.top);
    group.node().addEventListener("mousemove", event => showTip(event, word + " " + step.label + ": " + formatTime(sums[i]) + "\n" +
      names.filter(([key]) => step[key] > 0).map(([key, title]) => title + ": " +
        formatTime(step[key] * scale)).join("\n") + (step.onDevice ? "\nDevice " + step.onDevice.device + ":\n" +
      deviceNames.map(([key, title]) => title + ": " + formatTime((step.onDevice[key] || 0) * 1e3)).join("\n") : "")));
    group.node().addEventListener("mouseleave", hideTip);
    if (step.whole) {
      group.node().addEventListener("click", () => chooseStep(step.whole));
      group.node().addEventListener("keydown", event => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          chooseStep(step.whole);
        }
      });
      chosen.listeners.push(() => group.classed("chosen", chosen.step === step.whole));
    }
  });
}
function keepLongest(list, key) {
  if (list.length <= stepsDrawn) return list;
  const kept = new Set(list.slice().sort((a, b) => b[key] - a[key]).slice(0, stepsDrawn));
  return list.filter(each => kept.has(each));
}
/* The rows of the device that computes most, by step number. */
function findDeviceSteps() {
  const all = readRows("step_trace").filter(each => each.step !== null), sums = new Map();
  all.forEach(each => sums.set(each.device, (sums.get(each.device) || 0) + (each.computing || 0)));
  const busiest = [...sums].sort((a, b) => b[1] - a[1])[0];
  return new Map(busiest ? all.filter(each => each.device === busiest[0]).map(each => [each.step, each]) : []);
}
function showSteps() {
  const target = findBody("steps");
  if (!steps.length) {
    document.getElementById("steps").hidden = true;
    return;
  }
  const shown = keepLongest(steps, "duration");
  target.append(makeElement("p", { class: "faint" }, (shown.length < data.tables.step_part.total_rows ?
    "The " + shown.length + " longest of " + formatNumber(data.tables.step_part.total_rows, 0) + " steps. " :
    "") + (steps[0].number < 0 ? "No steps are known, so the whole window is shown. " :
    "Where each step goes on the thread that announced it. ") + (hasCharts && steps.length > 1 ?
      "Choose a step: everything below then shows only that step, except the tables of memory and devices and the appendix." : "")));
  if (hasCharts) {
    const used = partNames.filter(([key]) => steps.some(step => step[key] > 0));
    const onDevice = findDeviceSteps(), hasDevice = shown.some(step => onDevice.has(step.number));
    target.append(makeLegend(used));
    if (hasDevice) target.append(makeElement("p", { class: "faint" }, "The narrow bar shows device " +
      [...onDevice.values()][0].device + " in the step."), makeLegend(deviceNames));
    const frame = makeElement("div", { id: "step-bars" });
    target.append(frame);
    stackedBars(frame, shown.map(step => ({ ...step, label: step.number < 0 ? "all" : step.number,
      whole: step, onDevice: onDevice.get(step.number) })), used, "ns");
  }
  const table = makeTable("table-step_part", () => ({ rest: readRest("step_part"),
    columns: readColumns("step_part").filter(column => column.name !== "name"), rows: steps }));
  target.append(hasCharts ? makeElement("details", {}, makeElement("summary", {}, "As a table"), table) : table);
}
/* The device times of each rank of a job. */
function showRanks() {
  const target = findBody("device"), all = (data.ranks || []).map(row => ({ ...row, label:
    (row.rank < 0 ? "?" : row.rank) + (row.device >= 0 ? " (" + row.device + ")" : ""),
    share: row.stage > 0 ? 100 * row.communication_not_overlapped / row.stage : null }));
  const ranks = all.filter(row => !row.summed), summed = all.find(row => row.summed);
  if (!ranks.length) return 0;
  target.append(makeElement("h3", {}, "Device time of each rank"));
  if (hasCharts) {
    const frame = makeElement("div", { id: "rank-bars" });
    target.append(makeLegend(deviceNames), frame);
    stackedBars(frame, keepLongest(ranks, "stage"), deviceNames, "us", "rank");
  }
  target.append(makeTable("table-ranks", () => ({ rows: ranks, rest: summed && { ...summed,
    rank: formatNumber(summed.summed, 0) + " more rows, summed up" }, columns: [
    { name: "rank", title: "rank", unit: "" }, { name: "device", title: "device", unit: "" },
    { name: "steps", title: "steps", unit: "" }, { name: "stage", title: "stage", unit: "us" },
    { name: "computing", title: "computing", unit: "us" },
    { name: "overlapped", title: "communication, overlapped", unit: "us" },
    { name: "communication_not_overlapped", title: "communication, not overlapped", unit: "us" },
    { name: "share", title: "not overlapped, of the stage", unit: "%" },
    { name: "free", title: "idle", unit: "us" }] })));
  return ranks.length;
}
function showDevice() {
  const nRanks = showRanks(), all = readRows("step_trace");
  if (all.length && hasCharts) {
    findBody("device").append(makeElement("h3", {}, "Device time of each step"), makeLegend(deviceNames));
    const devices = [...new Set(all.map(each => each.device))];
    for (const device of devices) {
      const frame = makeElement("div", {});
      findBody("device").append(devices.length > 1 ? makeElement("p", { class: "faint" }, "Device " + device) : "", frame);
      const own = all.filter(each => each.device === device).sort((a, b) => a.begin - b.begin);
      stackedBars(frame, keepLongest(own, "stage").map(each => ({ ...each,
        label: each.step === null ? "all" : each.step })), deviceNames, "us");
    }
  }
  const n = showKinds("device", [["step_trace", "Steps on devices"],
    ["communication_time", "Communication"]]);
  document.getElementById("device").hidden = !n && !nRanks;
}

/* ---- values over time ---- */

const cursors = [];
function moveCursor(at) { cursors.forEach(cursor => cursor(at)); }
function smallChart(target, group, list) {
  const width = Math.max(target.clientWidth - 18, 200), height = 130;
  const edge = { left: 76, right: 18, top: 6, bottom: 20 };
  const x = d3.scaleLinear().domain([0, length || 1]).range([edge.left, width - edge.right]);
  const most = d3.max(list, each => d3.max(each.bins, bin => bin[2])) || 1;
  const y = d3.scaleLinear().domain([0, most]).nice().range([height - edge.bottom, edge.top]);
  const svg = d3.select(target).append("svg").attr("width", width).attr("height", height);
  const bands = svg.append("g"), lines = svg.append("g");
  const axis = svg.append("g").attr("transform", "translate(0," + (height - edge.bottom) + ")");
  const values = d3.axisLeft(y).ticks(4).tickFormat(value => formatValue(value, list[0].unit));
  const rise = memoryStep(most, 4, 1024);
  if (/^B/.test(list[0].unit)) values.tickValues(d3.range(0, most + 1, rise));
  svg.append("g").attr("transform", "translate(" + edge.left + ",0)").call(values);
  const cursor = svg.append("line").attr("class", "cursor").attr("y1", edge.top)
    .attr("y2", height - edge.bottom).style("display", "none");
  const colors = d3.schemeTableau10 || d3.schemeCategory10;
  function draw() {
    x.domain(chosen.step ? [chosen.step.begin, chosen.step.end] : [0, length || 1]);
    axis.call(d3.axisBottom(x).ticks(Math.max(2, width / 90)).tickFormat(formatTime).tickSizeOuter(0));
    bands.selectAll("*").remove();
    keepLongest(steps, "duration").filter((step, i) => i % 2 === 0 && step.number >= 0).forEach(step => {
      const from = Math.max(edge.left, x(step.begin)), to = Math.min(width - edge.right, x(step.end));
      if (to > from) bands.append("rect").attr("x", from).attr("width", to - from)
        .attr("y", edge.top).attr("height", height - edge.bottom - edge.top)
        .attr("fill", "var(--band)");
    });
    lines.selectAll("*").remove();
    list.forEach((each, i) => {
      const path = d3.line().x(bin => x((bin[0] + 0.5) * each.width)).y(bin => y(bin[1]))
        .curve(d3.curveMonotoneX);
      const inside = each.bins.filter(bin => {
        const at = (bin[0] + 0.5) * each.width;
        return at >= x.domain()[0] && at <= x.domain()[1];
      });
      lines.append("path").attr("d", path(inside)).attr("fill", "none").attr("stroke-width", 1.5)
        .attr("stroke", colors[i % colors.length]);
      if (inside.length === 1) lines.append("circle").attr("r", 3).attr("fill",
        colors[i % colors.length]).attr("cx", x((inside[0][0] + 0.5) * each.width))
        .attr("cy", y(inside[0][1]));
    });
  }
  svg.node().addEventListener("mousemove", event => {
    const at = x.invert(event.clientX - svg.node().getBoundingClientRect().left);
    if (at < x.domain()[0] || at > x.domain()[1]) return;
    moveCursor(at);
    showTip(event, formatTime(at) + "\n" + list.map(each => {
      const bin = each.bins.reduce((best, next) => Math.abs((next[0] + 0.5) * each.width - at) <
        Math.abs((best[0] + 0.5) * each.width - at) ? next : best, each.bins[0]);
      return each.name + ": " + formatValue(bin[1], each.unit) + ", at most " + formatValue(bin[2], each.unit);
    }).join("\n"));
  });
  svg.node().addEventListener("mouseleave", () => { moveCursor(null); hideTip(); });
  cursors.push(at => cursor.style("display", at === null ? "none" : null)
    .attr("x1", at === null ? 0 : x(at)).attr("x2", at === null ? 0 : x(at)));
  target.append(makeLegend(list.map((each, i) => [null, each.name, colors[i % colors.length]])));
  chosen.listeners.push(draw);
  draw();
}
function showSeries() {
  const groups = new Map();
  let hidden = 0;
  data.series.filter(each => each.bins.some(bin => bin[2] !== 0)).forEach(each => {
    const list = groups.get(each.group) || [];
    groups.set(each.group, list);
    if (list.length < 8) list.push(each);
    else hidden++;
  });
  const target = findBody("series");
  document.getElementById("series").hidden = !groups.size;
  const left = (hidden ? "Each chart has at most 8 lines: " + formatNumber(hidden, 0) + " more are not drawn. " : "") +
    (data.series_left_out ? "The page has at most " + data.series.length + " lines: " +
      formatNumber(data.series_left_out, 0) + " values of others are left out." : "");
  if (left) target.append(makeElement("p", { class: "faint", id: "series-left" }, left));
  if (!hasCharts) {
    const list = [...groups.values()].flat().map(each => ({ name: each.group + ": " + each.name,
      mean: formatValue(each.bins.reduce((sum, bin) => sum + bin[1], 0) / each.bins.length, each.unit),
      most: formatValue(Math.max(...each.bins.map(bin => bin[2])), each.unit) }));
    target.append(makeTable("table-series", () => ({ rows: list, columns: [{ name: "name",
      title: "Value" }, { name: "mean", title: "mean" }, { name: "most", title: "most" }] })));
    return;
  }
  const grid = makeElement("div", { class: "grid" });
  target.append(makeElement("div", { class: "legend" }, steps.length > 1 ? makeElement("span", {},
    makeElement("i", { class: "band" }), "every second step") : "", makeElement("span", {}, "one cursor in all charts")),
  grid);
  for (const [group, list] of groups) {
    const chart = makeElement("div", { class: "chart" }, makeElement("h3", {}, group));
    grid.append(chart);
    smallChart(chart, group, list);
  }
}
