/* Draws memory over time by its purpose: areas, values under the pointer, the peak. */

const memoryNames = ["Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient",
  "Autograd detail", "Unknown"];
const memoryColors = ["#2f7d4f", "#d99a1c", "#20262e", "#8c6bb1", "#d1495b", "#2b73c4", "#5bb5c9",
  "#9aa3af"];
const memoryDark = matchMedia("screen and (prefers-color-scheme: dark)");
if (memoryDark.matches) memoryColors[2] = "#e3e6eb";
const memoryEdge = { left: 78, right: 14, top: 10, bottom: 30 };

function memoryBytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0, value = n;
  while (Math.abs(value) >= 1024 && unit < 4) { value /= 1024; unit++; }
  return (unit ? value.toFixed(value < 10 ? 2 : 1) : value) + " " + units[unit];
}
function memoryNode(name, of, ...children) {
  const node = document.createElement(name);
  node.className = of;
  node.append(...children);
  return node;
}
function memoryRow(cells) {
  const line = document.createElement("tr");
  cells.forEach(cell => {
    const made = document.createElement(cell.head ? "th" : "td");
    if (cell.color) {
      const mark = document.createElement("i");
      mark.style.background = cell.color;
      made.append(mark);
    }
    if (cell.number) made.className = "n";
    made.append(String(cell.text));
    line.append(made);
  });
  return line;
}
/* Returns a round step that fits into `span` at most `n` times. */
function memoryStep(span, n, base) {
  let step = 1;
  while (step * base * n < span) step *= base;
  for (const part of base === 1024 ? [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] : [1, 2, 5])
    if (step * part * n >= span) return step * part;
  return step * base;
}
function memoryColor(name) { return getComputedStyle(document.documentElement).getPropertyValue(name); }
function memoryContext(canvas) {
  const scale = devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  canvas.width = box.width * scale;
  canvas.height = box.height * scale;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  return [context, box.width, box.height];
}

class MemoryChart {
  /* Draws the data of one device into `root`; times are in us since the first event. */
  constructor(root, data) {
    const times = data.times, first = times[0] || 0;
    this.data = data;
    this.last = times.length - 1;
    this.whole = [first, Math.max(times[this.last] || 0, first + 1)];
    this.view = this.whole.slice();
    this.shown = memoryNames.map(() => true);
    this.hover = this.drag = null;
    this.build(root);
    this.listen();
    this.fillLegend();
    this.fillTables();
    this.draw();
  }

  /* ---- elements ---- */

  build(root) {
    this.back = memoryNode("canvas", "memory-back");
    this.front = memoryNode("canvas", "memory-front");
    this.front.tabIndex = 0;
    this.front.setAttribute("role", "img");
    this.front.setAttribute("aria-label", "Memory over time; plus and minus zoom, Escape shows all");
    this.tip = memoryNode("div", "memory-tip");
    this.legend = memoryNode("div", "memory-legend");
    this.shares = memoryNode("table", "memory-figures memory-shares");
    this.blocks = memoryNode("table", "memory-figures memory-blocks");
    this.reset = memoryNode("button", "memory-reset", "Show all");
    this.save = memoryNode("button", "memory-save", "Save as PNG");
    const hint = memoryNode("p", "memory-note memory-hint", "Drag over a part to enlarge it, or turn the wheel" +
      " with Ctrl. ", this.reset, " ", this.save);
    root.classList.add("memory-chart");
    root.append(memoryNode("p", "memory-note memory-summary", this.summary()),
      memoryNode("p", "memory-note memory-allocator", this.allocator()));
    if (!this.data.times.length) return;
    root.append(this.legend, memoryNode("div", "memory-plot", this.back, this.front, this.tip), hint,
      memoryNode("div", "memory-tables",
        memoryNode("div", "memory-scroll", memoryNode("h3", "", "At the peak"), this.shares),
        memoryNode("div", "memory-scroll", memoryNode("h3", "", "Largest blocks at the peak"), this.blocks)));
  }
  summary() {
    const { times, peak, n_blocks: blocks, is_thinned: isThinned } = this.data;
    return times.length ? "Peak " + memoryBytes(this.sum(peak)) + " at " + this.time(times[peak], 0) + ", of " +
      this.time(this.whole[1], 0) + " in all. " + blocks.toLocaleString("en") + " blocks." +
      (isThinned ? " The chart shows the extremes of each part." : "") : "";
  }
  allocator() {
    const said = [], data = this.data;
    if (data.most_allocated !== null) said.push("Max memory allocated: " + memoryBytes(data.most_allocated));
    if (data.most_reserved !== null) said.push("Max memory reserved: " + memoryBytes(data.most_reserved));
    return said.join(". ");
  }
  holds(k) { return this.data.held[k].some(n => n); }
  fillLegend() {
    memoryNames.forEach((name, k) => {
      if (!this.holds(k)) return;
      const label = document.createElement("label"), box = document.createElement("input");
      const mark = document.createElement("i");
      box.type = "checkbox";
      box.checked = true;
      mark.style.background = memoryColors[k];
      box.addEventListener("change", () => { this.shown[k] = box.checked; this.draw(); });
      label.append(box, mark, name);
      this.legend.append(label);
    });
  }
  fillTables() {
    const { held, peak, blocks, times } = this.data;
    const heads = (...texts) => memoryRow(texts.map(([text, number]) => ({ text, number, head: true })));
    this.shares.append(heads(["Category"], ["Held", true], ["Share", true]));
    if (times.length) memoryNames.forEach((name, k) => {
      if (held[k][peak]) this.shares.append(memoryRow([{ text: name, color: memoryColors[k] },
        { text: memoryBytes(held[k][peak]), number: true },
        { text: (100 * held[k][peak] / this.sum(peak)).toFixed(1) + " %", number: true }]));
    });
    this.blocks.append(heads(["Category"], ["Size", true], ["Allocated by"], ["At", true], ["Held", true]));
    for (const block of blocks) this.blocks.append(memoryRow([
      { text: memoryNames[block.category], color: memoryColors[block.category] },
      { text: memoryBytes(block.bytes), number: true }, { text: block.name || "" },
      { text: block.begin === null ? "before" : this.time(block.begin, 0), number: true },
      { text: block.end === null ? "to the end" : this.time(block.end - Math.max(block.begin, 0), 0),
        number: true }]));
  }

  /* ---- values ---- */

  time(us, step) {
    const span = step || Math.max(this.view[1] - this.view[0], 1);
    if (span >= 1e6) return (us / 1e6).toFixed(step ? 2 : 3) + " s";
    if (span >= 1e3) return (us / 1e3).toFixed(step ? 1 : 3) + " ms";
    return (us / (step ? 1 : 1e3)).toFixed(step ? 0 : 3) + (step ? " µs" : " ms");
  }
  /* Returns the sample that is valid at the time `us`: the last one at this time or earlier. */
  at(us) {
    const times = this.data.times;
    let low = 0, high = this.last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= us) low = middle; else high = middle - 1;
    }
    return low;
  }
  sum(i) {
    let all = 0;
    for (let k = 0; k < memoryNames.length; k++) if (this.shown[k]) all += this.data.held[k][i];
    return all;
  }
  greatest() {
    let most = 0;
    for (let i = this.at(this.view[0]); i <= this.last && this.data.times[i] <= this.view[1]; i++)
      most = Math.max(most, this.sum(i));
    return most || 1;
  }
  place(width, height) {
    const top = this.greatest() * 1.06, edge = memoryEdge, view = this.view;
    const inner = width - edge.left - edge.right;
    return {
      top, x: us => edge.left + (us - view[0]) / (view[1] - view[0]) * inner,
      y: n => height - edge.bottom - n / top * (height - edge.top - edge.bottom),
      us: x => view[0] + (x - edge.left) / inner * (view[1] - view[0])
    };
  }

  /* ---- drawing ---- */

  draw() {
    if (this.last < 0) return;
    const [context, width, height] = memoryContext(this.back), to = this.place(width, height);
    this.drawAxes(context, to, width, height);
    context.save();
    context.beginPath();
    context.rect(memoryEdge.left, 0, width - memoryEdge.left - memoryEdge.right,
      height - memoryEdge.bottom + 1);
    context.clip();
    this.drawAreas(context, to);
    context.restore();
    this.reset.hidden = this.view[0] === this.whole[0] && this.view[1] === this.whole[1];
    this.drawFront();
  }
  drawAxes(c, to, width, height) {
    const edge = memoryEdge, view = this.view;
    c.font = "12px system-ui, sans-serif";
    c.strokeStyle = memoryColor("--line");
    c.fillStyle = memoryColor("--faint");
    c.textAlign = "right";
    c.textBaseline = "middle";
    const rise = memoryStep(to.top, 6, 1024);
    for (let n = 0; n <= to.top; n += rise) {
      c.beginPath();
      c.moveTo(edge.left, to.y(n));
      c.lineTo(width - edge.right, to.y(n));
      c.stroke();
      c.fillText(memoryBytes(n), edge.left - 8, to.y(n));
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    const n = Math.max(2, Math.min(8, Math.floor(width / 90)));
    const stride = memoryStep(view[1] - view[0], n, 10);
    for (let us = Math.ceil(view[0] / stride) * stride; us <= view[1]; us += stride)
      c.fillText(this.time(us, stride * 8), to.x(us), height - edge.bottom + 8);
  }
  drawAreas(c, to) {
    const { times, held } = this.data, first = this.at(this.view[0]);
    let end = first;
    while (end < this.last && times[end] <= this.view[1]) end++;
    const below = new Float64Array(end - first + 1);
    for (let k = 0; k < memoryNames.length; k++) {
      if (!this.shown[k]) continue;
      const path = [], under = [];
      for (let i = first; i <= end; i++) {
        const x = to.x(times[i]), next = i < end ? to.x(times[i + 1]) : to.x(this.view[1]);
        under.push([x, to.y(below[i - first])], [next, to.y(below[i - first])]);
        below[i - first] += held[k][i];
        path.push([x, to.y(below[i - first])], [next, to.y(below[i - first])]);
      }
      c.fillStyle = memoryColors[k];
      c.beginPath();
      for (const [x, y] of path) c.lineTo(x, y);
      for (const [x, y] of under.reverse()) c.lineTo(x, y);
      c.fill();
    }
  }
  drawFront() {
    const [c, width, height] = memoryContext(this.front), to = this.place(width, height);
    const edge = memoryEdge, hover = this.hover;
    this.tip.style.display = "none";
    if (this.drag !== null) {
      c.fillStyle = "#2b73c433";
      c.fillRect(Math.min(this.drag, hover), edge.top, Math.abs(hover - this.drag),
        height - edge.top - edge.bottom);
    }
    if (hover === null || hover < edge.left || hover > width - edge.right) return;
    c.strokeStyle = memoryColor("--text");
    c.setLineDash([3, 3]);
    c.beginPath();
    c.moveTo(hover, edge.top);
    c.lineTo(hover, height - edge.bottom);
    c.stroke();
    this.showTip(to.us(hover), width);
  }
  showTip(us, width) {
    const i = this.at(us), table = document.createElement("table"), held = this.data.held;
    table.append(memoryRow([{ text: this.time(us) }, { text: memoryBytes(this.sum(i)), number: true }]));
    for (let k = memoryNames.length; k-- > 0;)
      if (this.shown[k] && held[k][i])
        table.append(memoryRow([{ text: memoryNames[k], color: memoryColors[k] },
          { text: memoryBytes(held[k][i]), number: true }]));
    this.tip.replaceChildren(table);
    this.tip.style.display = "block";
    const wide = this.tip.offsetWidth, isLeft = this.hover + 16 + wide > width;
    this.tip.style.left = Math.max(0, isLeft ? this.hover - 16 - wide : this.hover + 16) + "px";
    this.tip.style.top = memoryEdge.top + 8 + "px";
  }

  /* ---- input ---- */

  zoom(from, to) {
    const least = 1e-3, whole = this.whole;
    this.view = [Math.max(whole[0], Math.min(from, to)), Math.min(whole[1], Math.max(from, to))];
    if (this.view[1] - this.view[0] < least) this.view[1] = this.view[0] + least;
    this.draw();
  }
  scale(factor, us) {
    const [from, to] = this.view;
    this.zoom(us - (us - from) * factor, us + (to - us) * factor);
  }
  inside(event) { return event.clientX - this.front.getBoundingClientRect().left; }
  us(x) { return this.place(this.front.clientWidth, this.front.clientHeight).us(x); }
  release(event) {
    const from = this.drag, x = this.inside(event);
    this.drag = null;
    if (from !== null && Math.abs(x - from) > 5) this.zoom(this.us(from), this.us(x));
    else this.drawFront();
  }
  press(event) {
    const middle = (this.view[0] + this.view[1]) / 2;
    if (event.key === "+") this.scale(0.5, middle);
    else if (event.key === "-") this.scale(2, middle);
    else if (event.key === "Escape") this.zoom(...this.whole);
    else return;
    event.preventDefault();
  }
  listen() {
    const front = this.front;
    front.addEventListener("pointermove", event => { this.hover = this.inside(event); this.drawFront(); });
    front.addEventListener("pointerleave", () => {
      if (this.drag === null) { this.hover = null; this.drawFront(); }
    });
    front.addEventListener("pointerdown", event => {
      this.drag = this.hover = this.inside(event);
      front.setPointerCapture(event.pointerId);
    });
    front.addEventListener("pointerup", event => this.release(event));
    front.addEventListener("wheel", event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.scale(event.deltaY > 0 ? 1.25 : 0.8, this.us(this.inside(event)));
    }, { passive: false });
    front.addEventListener("keydown", event => this.press(event));
    this.reset.addEventListener("click", () => this.zoom(...this.whole));
    this.save.addEventListener("click", () => {
      const link = document.createElement("a");
      link.download = "memory_timeline.png";
      link.href = this.picture().toDataURL("image/png");
      link.click();
    });
    addEventListener("resize", () => this.draw());
    memoryDark.addEventListener("change", () => {
      memoryColors[2] = memoryDark.matches ? "#e3e6eb" : "#20262e";
      this.draw();
    });
  }

  /* Returns the plot as an image, with its title, the allocator's totals and the categories that are drawn. */
  picture() {
    const scale = devicePixelRatio || 1, back = this.back, head = 76;
    const made = document.createElement("canvas"), c = made.getContext("2d");
    const width = back.width / scale, height = back.height / scale;
    made.width = back.width;
    made.height = back.height + head * scale;
    c.scale(scale, scale);
    c.fillStyle = memoryColor("--ground");
    c.fillRect(0, 0, width, height + head);
    c.fillStyle = memoryColor("--text");
    c.textBaseline = "top";
    c.font = "600 16px system-ui, sans-serif";
    c.fillText("Memory of " + this.data.device, 14, 8);
    c.font = "12px system-ui, sans-serif";
    c.fillText(this.allocator(), 14, 32);
    let x = 14;
    memoryNames.forEach((name, k) => {
      if (!this.shown[k] || !this.holds(k)) return;
      c.fillStyle = memoryColors[k];
      c.fillRect(x, 54, 12, 12);
      c.fillStyle = memoryColor("--text");
      c.fillText(name, x + 18, 54);
      x += 34 + c.measureText(name).width;
    });
    c.drawImage(back, 0, head, width, height);
    return made;
  }
}
