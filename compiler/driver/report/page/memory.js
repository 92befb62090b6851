// The arena over the order of launches: the height of a buffer is its bytes, its width its live range.

(() => {
  const drawing = byId("memory-drawing"), bar = byId("memory-bar");
  const used = data.arenas.filter(arena => arena.buffers.length);
  let arena = used.find(entry => entry.function === "main") || used[0];
  let steps = [], taken = [];

  // Positions number all operations; here the launches between two of them are counted.
  function prepare() {
    const root = nodes.find(node => node.kind === "function" && node.name === arena.function);
    steps = launches.filter(node => { let at = node; while (nodes[at.parent]) at = nodes[at.parent]; return at === root; })
      .sort((a, b) => a.position - b.position);
    const first = position => {
      let low = 0, high = steps.length;
      while (low < high) { const middle = (low + high) >> 1; if (steps[middle].position < position) low = middle + 1; else high = middle; }
      return low;
    };
    taken = arena.buffers.map(buffer => {
      const from = first(buffer.begin), to = Math.max(first(buffer.end), from);
      return {buffer, from, to, writer: steps[from], atPeak: buffer.begin <= arena.peak && arena.peak < buffer.end};
    });
    arena.step = first(arena.peak);
  }

  function describe({buffer, writer}) {
    return `${buffer.name || "(no name)"}\n${bytes(buffer.bytes)} at ${number(buffer.offset)}` + (writer ? `\nfrom ${writer.name || kernels[writer.kernel].name} on` : "");
  }

  function draw() {
    const width = drawing.clientWidth, height = drawing.clientHeight, margin = {left: 78, right: 16, top: 22, bottom: 36};
    const count = Math.max(1, steps.length), most = Math.max(1, arena.bytes);
    const x = step => margin.left + (width - margin.left - margin.right) * step / count;
    const y = offset => height - margin.bottom - (height - margin.top - margin.bottom) * offset / most;
    const parts = [];
    const unit = 2 ** Math.ceil(Math.log2(most / 6));
    for (let offset = 0; offset <= most; offset += unit)
      parts.push(svg("line", {class: "grid", x1: margin.left, x2: width - margin.right, y1: y(offset), y2: y(offset)}),
        svg("text", {class: "faint", x: margin.left - 6, y: y(offset) + 4, "text-anchor": "end"}, bytes(offset)));
    const power = 10 ** Math.floor(Math.log10(Math.max(1, count / 6)));
    const every = [1, 2, 5, 10].map(step => step * power).find(step => step * 12 >= count);
    for (let step = 0; step <= count; step += every)
      parts.push(svg("text", {class: "faint", x: x(step), y: height - margin.bottom + 14, "text-anchor": "middle"}, number(step)));
    parts.push(svg("text", {class: "faint", x: (x(0) + x(count)) / 2, y: height - 6, "text-anchor": "middle"}, "launches, in the order of the program"));
    const rectangles = taken.map(entry => {
      const {buffer, from, to, writer, atPeak} = entry;
      const left = x(from), right = Math.max(x(Math.max(to, from + 0.5)), left + 1.5), top = y(buffer.offset + buffer.bytes), tall = Math.max(1, y(buffer.offset) - top);
      const group = svg("g", {class: `buffer${atPeak ? " peak" : ""}`, color: writer ? colorOf(writer) : "other", role: "button",
        "aria-label": describe(entry).replaceAll("\n", ", "), onclick: () => writer && choose({node: writer})},
        svg("rect", {x: left, y: top, width: right - left, height: tall}));
      // Along the longer side, if enough of it can be read to distinguish it from others.
      const wide = right - left, upright = wide < 6.7 * buffer.name.length + 6 && tall > wide;
      const name = clip(buffer.name, (upright ? tall : wide) - 8);
      if (Math.min(tall, wide) >= 13 && (name === buffer.name || name.length >= 8))
        group.append(upright
          ? svg("text", {x: left + 11, y: top + tall - 4, transform: `rotate(-90 ${left + 11} ${top + tall - 4})`}, name)
          : svg("text", {x: left + 3, y: top + Math.min(tall / 2 + 4, 14)}, name));
      return withTip(group, () => describe(entry));
    });
    parts.push(svg("g", {}, rectangles));
    const peak = x(arena.step + 0.5);
    parts.push(svg("line", {class: "peakline", x1: peak, x2: peak, y1: margin.top - 6, y2: height - margin.bottom}),
      svg("text", {class: "peaktext", x: peak + (peak > width / 2 ? -5 : 5), y: margin.top - 9, "text-anchor": peak > width / 2 ? "end" : "start"},
        `peak: ${bytes(arena.peak_bytes)} in use${steps[arena.step] ? ` at ${clip(steps[arena.step].name, 260)}` : ""}`));
    if (arena.bound < arena.bytes)
      parts.push(svg("line", {class: "bound", x1: margin.left, x2: width - margin.right, y1: y(arena.bound), y2: y(arena.bound)}));
    const now = steps.indexOf(chosen.node);
    if (now >= 0) parts.push(svg("rect", {class: "now", x: x(now), width: Math.max(2, x(now + 1) - x(now)), y: margin.top, height: height - margin.top - margin.bottom}));
    drawing.replaceChildren(...parts);
    makeRover(drawing, rectangles);
  }

  function drawPeak() {
    const holders = taken.filter(entry => entry.atPeak).sort((a, b) => b.buffer.bytes - a.buffer.bytes || a.buffer.offset - b.buffer.offset);
    byId("memory-peak").replaceChildren(html("table", {},
      html("caption", {}, `${plural(holders.length, "buffer")} in use at the peak`),
      html("thead", {}, html("tr", {}, html("th", {scope: "col"}, "Name"), html("th", {scope: "col", class: "number"}, "Size"), html("th", {scope: "col", class: "number"}, "Offset"))),
      html("tbody", {}, holders.map(entry => html("tr", {onclick: () => entry.writer && choose({node: entry.writer})},
        html("th", {scope: "row"}, clip(entry.buffer.name || "(no name)", 220)), html("td", {class: "number"}, bytes(entry.buffer.bytes)), html("td", {class: "number"}, number(entry.buffer.offset)))))));
  }

  function open(entry) {
    arena = entry;
    prepare();
    drawPeak();
    bar.replaceChildren(...[used.length > 1 ? html("label", {}, "function", html("select", {onchange: event => { open(used[event.target.value]); draw(); }},
      used.map((other, i) => html("option", {value: i, selected: other === arena}, other.function)))) : null,
      html("span", {}, `Arena of ${bytes(arena.bytes)} (${number(arena.bytes)}), ${plural(arena.buffers.length, "buffer")}; ${bytes(arena.bound)} are live at once at least` +
        (arena.bound < arena.bytes ? " (dashed)" : ""))].filter(Boolean));
  }

  if (!arena) {
    bar.replaceChildren("The program needs no memory but its arguments, results and constants.");
    drawing.remove();
    return;
  }
  open(arena);
  whenSized(drawing, draw);
  onChoice(() => { if (drawing.clientWidth) draw(); });
})();
