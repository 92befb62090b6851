// Elements, drawings and the selection that all views share. Text is inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "color") element.style.setProperty("--color", `var(--${value})`);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}
function html(name, attributes, ...children) { return fill(document.createElement(name), attributes, children); }
function svg(name, attributes, ...children) { return fill(document.createElementNS(SVG, name), attributes, children); }
function byId(id) { return document.getElementById(id); }

const kinds = ["dot", "convolution", "loop", "reduce", "update", "sort", "scatter", "scan", "window"];
function kindColor(kind) { return kinds.includes(kind) ? kind : "other"; }
function colorOf(node) { return node.kind === "launch" ? kindColor(kernels[node.kernel].kind) : "other"; }
function legend(used) {
  return kinds.filter(kind => used.has(kind)).concat(used.has("other") ? ["other"] : []).map(kind =>
    html("span", {class: "legend"}, html("i", {color: kind}), kind));
}
const usedKinds = new Set(kernels.map(kernel => kindColor(kernel.kind)));

// Text that fits approximately into this many pixels.
function clip(text, width, character = 6.7) {
  const most = Math.floor(width / character);
  return text.length <= most ? text : most < 2 ? "" : text.slice(0, most - 1) + "\u2026";
}

// The tip next to the pointer, or next to the element with the focus.
function withTip(element, describe) {
  const show = (x, y) => {
    const tip = byId("tip");
    tip.textContent = describe();
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18}px`;
  };
  const hide = () => { byId("tip").hidden = true; };
  element.addEventListener("pointermove", event => { show(event.clientX, event.clientY); event.stopPropagation(); });
  element.addEventListener("pointerleave", hide);
  element.addEventListener("focus", () => {
    if (!element.matches(":focus-visible")) return;
    const box = element.getBoundingClientRect();
    show(box.right, box.bottom);
  });
  element.addEventListener("blur", hide);
  return element;
}

// A selection is a kernel and, if one was picked, its launch (or another node of the graph).
const listeners = [];
let chosen = {kernel: null, node: null};
function onChoice(listener) { listeners.push(listener); }
function choose(choice) {
  chosen = {kernel: choice.kernel ?? null, node: choice.node ?? choice.kernel?.nodes[0] ?? null};
  if (chosen.node?.kind === "launch") chosen.kernel = kernels[chosen.node.kernel];
  listeners.forEach(listener => listener(chosen));
}

// Items of a drawing that arrow keys move through; Enter selects. One of them at a time is in the tab order.
function makeRover(container, items) {
  let current = 0;
  const go = to => {
    items[current]?.setAttribute("tabindex", "-1");
    current = Math.max(0, Math.min(items.length - 1, to));
    items[current].setAttribute("tabindex", "0");
    items[current].focus();
  };
  items.forEach((item, i) => item.setAttribute("tabindex", i === 0 ? "0" : "-1"));
  container.onkeydown = event => {
    const at = items.indexOf(document.activeElement);
    if (at < 0) return;
    current = at;
    if (event.key === "ArrowRight" || event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowLeft" || event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(items.length - 1);
    else if (event.key === "Enter" || event.key === " ") items[at].dispatchEvent(new MouseEvent("click"));
    else return;
    event.preventDefault();
  };
}

// Sortable heads of a table: columns have {title, key, number} and, where rows are in their order at first,
// {first, ascending}; `draw` fills the body in the requested order.
function makeSorter(table, columns, draw) {
  let by = columns.findIndex(column => column.first), down = !columns[by].ascending;
  const heads = columns.map((column, i) => html("th", {scope: "col", class: column.number ? "number" : null},
    column.key ? html("button", {type: "button", onclick: () => {
      down = by === i ? !down : !!column.number;
      by = i;
      update();
    }}, column.title) : column.title));
  const body = html("tbody", {});
  table.replaceChildren(html("thead", {}, html("tr", {}, heads)), body);
  function update() {
    heads.forEach((head, i) => {
      if (i === by) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const key = columns[by].key;
    draw(body, (x, y) => {
      const a = key(x), b = key(y);
      const order = typeof a === "string" ? a.localeCompare(b) : a - b;
      return down ? -order : order;
    });
  }
  return update;
}

// Redraws when the element's size changes, and only while it is visible.
function whenSized(element, draw) {
  new ResizeObserver(() => { if (element.clientWidth && element.clientHeight) draw(); }).observe(element);
}
