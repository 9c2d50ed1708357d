// SPDX-License-Identifier: Apache-2.0
// Stands in for Google's charts, which are fetched from a server elsewhere: each chart is a table of
// what it was given to draw, <figure data-chart="PieChart">.
window.google = {charts: {load: async () => {}}, visualization: {}};

class DataTable {
  columns = [];
  rows = [];
  addColumn(column) { this.columns.push(column); }
  addRows(rows) { this.rows.push(...rows); }
  setProperty() {}
}

function add(parent, tag, text) {
  const element = parent.appendChild(document.createElement(tag));
  if (text !== undefined) element.textContent = text;
  return element;
}

function draw(figure, data, options) {
  const shown = data.columns.map((column, i) => i).filter((i) => !data.columns[i].role);
  const table = add(figure, 'table');
  add(figure, 'figcaption', (options && options.title) || '');
  const head = add(add(table, 'thead'), 'tr');
  for (const i of shown) add(head, 'th', data.columns[i].label || data.columns[i].id);
  const body = add(table, 'tbody');
  for (const row of data.rows) {
    const line = add(body, 'tr');
    for (const i of shown) add(line, 'td', row[i]);
  }
}

function chart(name) {
  return class {
    constructor(element) { this.element = element; }
    draw(data, options) {
      this.clearChart();
      const figure = add(this.element, 'figure');
      figure.dataset.chart = name;
      figure.style.cssText = 'margin: 0; max-height: 400px; overflow: hidden';
      draw(figure, data, options);
    }
    clearChart() { this.element.replaceChildren(); }
    getSelection() { return []; }
    setSelection() {}
  };
}

for (const name of ['ColumnChart', 'ComboChart', 'LineChart', 'PieChart', 'SteppedAreaChart', 'Table',
                    'Timeline']) {
  google.visualization[name] = chart(name);
}
google.visualization.DataTable = DataTable;
google.visualization.arrayToDataTable = ([head, ...rows]) => {
  const table = new DataTable();
  head.forEach((label) => table.addColumn(typeof label === 'object' ? label : {label}));
  table.addRows(rows);
  return table;
};
google.visualization.events = {addListener() {}};
