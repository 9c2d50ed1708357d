/* Memory by purpose over time; the call paths at the peak; the largest blocks. */

/* The chart shows the time of the chosen step or, without one, the whole window. */
function followStep(chart) {
  chosen.listeners.push(() => {
    const begin = chart.data.begin;
    if (chosen.step) chart.zoom((chosen.step.begin - begin) / 1e3, (chosen.step.end - begin) / 1e3);
    else chart.zoom(...chart.whole);
  });
}
function showMemory() {
  const target = findBody("memory"), { devices, limit, is_too_long: isTooLong,
    devices_left_out: left } = data.memory;
  for (const device of devices) {
    const frame = makeElement("div", {});
    target.append(makeElement("h3", {}, "Memory of " + device.device), frame);
    const chart = new MemoryChart(frame, device);
    if (device.times.length) followStep(chart);
  }
  if (isTooLong && devices.length) target.append(makeElement("p", { class: "faint" }, "The page shows " +
    "memory by purpose only for at most " + formatNumber(limit, 0) + " records of memory. This recording has more: use " +
    "strobe analyse RESULT --export memory_timeline --max-mem 2GB."));
  if (left) target.append(makeElement("p", { class: "faint" }, formatNumber(left, 0) + " more devices are left out."));
  const n = showKinds("memory", [["heap_path", "Call paths at the peak"],
    ["memory_block", "The largest allocations"]]);
  document.getElementById("memory").hidden = !n && !devices.length;
}
