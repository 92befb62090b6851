// The graph: kernels as boxes with their instructions, calls, loops and branches, which open, and the arrays
// that go between them. One scope at a time, the program or the inside of a loop or branch; of a large one
// the neighbourhood of the selected node.

const WHOLE = 60, MOST = 700, NEAR = 36, ROWS = 7, MANY_ROWS = 24;
const BOX = 250, ROW = 15, HEAD = 36, GUTTER = 26;

const graph = (() => {
  const drawing = byId("graph-drawing"), bar = byId("graph-bar");
  const functions = nodes.filter(node => node.kind === "function");
  let scope = functions.find(node => node.name === "main") || functions[0], region = 0;
  let wholeWanted = null, portsWanted = null, radius = 6;
  let view = {x: 0, y: 0, scale: 1}, drawn = {boxes: [], width: 1, height: 1}, world = null, stale = true;

  const isPort = node => ["argument", "constant", "result"].includes(node.kind);
  const regionsOf = node => [...new Set(node.children.map(child => child.region))].sort((a, b) => a - b);
  const items = () => scope.children.filter(child => child.region === region);
  const regionName = (node, number) => node.kind === "branch" ? `branch ${number}`
    : regionsOf(node).length > 1 && number === 0 ? "condition" : "body";

  // Edges of this scope: both ends as items of it, or as something outside. Values handed in come from its
  // own loop or branch, values handed on go to it.
  function project(shown) {
    const outside = new Map(), edges = new Map();
    const port = (key, node, name, side) => {
      if (!outside.has(key)) outside.set(key, {outside: true, node, name, side, key});
      return outside.get(key);
    };
    const here = new Map();
    const locate = node => {
      if (here.has(node)) return here.get(node);
      let at = node;
      while (at && !(at.parent === scope.id && at.region === region)) at = nodes[at.parent];
      here.set(node, at);
      return at;
    };
    const add = (from, to, edge) => {
      const key = `${from.key ?? from.id}>${to.key ?? to.id}`;
      if (edges.has(key)) edges.get(key).arrays.push(edge);
      else edges.set(key, {from, to, arrays: [edge]});
    };
    for (const item of shown) for (const node of inside(item)) {
      for (const edge of node.from) {
        if (edge.leaves) continue; // from inside the node
        const source = nodes[edge.from], at = locate(source);
        if (at === item) continue;
        if (at) { if (shown.has(at)) add(at, item, edge); }
        else if (source === scope) add(port("in", scope, "handed in", "in"), item, edge);
        else add(port(`o${source.id}`, source, source.name || source.kind, "in"), item, edge);
      }
      for (const edge of node.to) {
        const target = nodes[edge.to];
        if (edge.leaves && target === scope) add(item, port("out", scope, "handed on", "out"), edge);
        else if (!edge.leaves && !locate(target) && target !== scope && !inside(item).includes(target))
          add(item, port(`t${target.id}`, target, target.name || target.kind, "out"), edge);
      }
    }
    return {outside: [...outside.values()], edges: [...edges.values()]};
  }

  function near(focus, candidates) {
    const allowed = new Set(candidates), found = new Set([focus]);
    let ring = [focus];
    for (let step = 0; step < radius && found.size < NEAR; ++step) {
      const next = [];
      for (const item of ring) for (const node of inside(item)) {
        const others = node.from.map(edge => nodes[edge.from]).concat(node.to.map(edge => nodes[edge.to]));
        for (const other of others) {
          const at = ancestorIn(other, scope);
          if (!at || !allowed.has(at) || found.has(at) || found.size >= NEAR) continue;
          found.add(at);
          next.push(at);
        }
      }
      ring = next;
    }
    return found;
  }

  // The rows of a box: instructions by number, without constants if there are too many.
  function rowsOf(node, open) {
    if (node.kind !== "launch") return {rows: [], more: 0};
    const list = kernels[node.kernel].instructions, all = list.map((_, i) => i);
    const telling = all.filter(i => list[i].opcode !== "constant" && list[i].opcode !== "broadcast");
    const most = open ? MANY_ROWS : ROWS;
    const rows = all.length <= most ? all : (telling.length ? telling : all).slice(-most);
    return {rows, more: all.length - rows.length};
  }

  function measure(item) {
    if (item.outside) return {width: Math.min(BOX, 40 + 6.7 * item.name.length), height: 24};
    if (isPort(item)) return {width: Math.min(BOX, 26 + 6.5 * Math.max(item.name.length, subtitle(item).length)), height: 36};
    const {rows, more} = rowsOf(item, chosen.node === item);
    return {width: BOX, height: HEAD + (rows.length ? 6 : 0) + ROW * (rows.length + (more ? 1 : 0))};
  }

  function subtitle(node) {
    if (node.kind === "launch") {
      const kernel = kernels[node.kernel];
      return `${kernel.kind} ${kernel.outputs.join(", ")}`;
    }
    if (node.kind === "call") return `call of ${node.callee}`;
    if (node.kind === "loop" || node.kind === "branch") {
      const count = inside(node).filter(other => other.kind === "launch").length;
      return `${node.kind}${node.trips !== undefined ? `, ${plural(node.trips, "time")}` : ""}: ${plural(count, "launch")} \u2014 open`;
    }
    return node.type ? `${node.kind} ${node.type}` : node.kind;
  }
  function timeText(node) {
    const time = inside(node).filter(other => other.kind === "launch").reduce((sum, other) => sum + launchTime(other), 0);
    return time ? seconds(time) : "";
  }
  function describe(item) {
    if (item.outside) return `${item.name}\n${item.side === "in" ? "comes from" : "goes"} outside of what is shown`;
    const lines = [item.name || item.kind, subtitle(item)];
    if (item.kind === "launch") {
      const kernel = kernels[item.kernel];
      lines.push(`${timeText(item)} ${kernel.measured !== undefined || kernel.partOf ? "measured" : "predicted"}${item.times === undefined ? ", once" : ""}`,
        kernel.schedule || "");
    }
    return lines.filter(Boolean).join("\n");
  }

  function openScope(node, number) {
    scope = node;
    region = number ?? regionsOf(node).slice(-1)[0] ?? 0;
    wholeWanted = portsWanted = null;
    draw(true);
  }

  function drawBar(all, shown, whole, ports) {
    const path = [];
    for (let at = scope; at; at = nodes[at.parent]) path.unshift(at);
    const crumbs = html("span", {class: "path"}, path.flatMap((node, i) => [i ? " \u203a " : "",
      html("button", {type: "button", onclick: () => openScope(node)}, node.kind === "function" ? node.name : `${node.kind} ${node.name}`)]));
    const parts = [crumbs];
    if (functions.length > 1)
      parts.push(html("label", {}, "function", html("select", {onchange: event => openScope(nodes[event.target.value])},
        functions.map(node => html("option", {value: node.id, selected: path[0] === node}, node.name)))));
    const regions = regionsOf(scope);
    if (regions.length > 1)
      parts.push(html("label", {}, "part", html("select", {onchange: event => openScope(scope, Number(event.target.value))},
        regions.map(value => html("option", {value, selected: value === region}, regionName(scope, value))))));
    const count = all.filter(item => !isPort(item)).length;
    parts.push(html("label", {}, "show", html("select", {id: "graph-extent", onchange: event => { wholeWanted = event.target.value === "whole"; draw(true); }},
      html("option", {value: "whole", selected: whole, disabled: count > MOST}, count > MOST ? `all ${number(count)} (too many)` : `all ${number(count)}`),
      html("option", {value: "near", selected: !whole}, "nearby boxes"))));
    if (!whole)
      parts.push(html("label", {}, "steps", html("input", {type: "range", min: 1, max: 16, value: radius, "aria-label": "Steps from the selected node",
        oninput: event => { radius = Number(event.target.value); draw(true); }})),
        html("span", {}, `${number([...shown].filter(item => !isPort(item)).length)} of ${number(count)}`));
    parts.push(html("label", {}, html("input", {type: "checkbox", id: "graph-ports", checked: ports, onchange: event => { portsWanted = event.target.checked; draw(true); }}),
      "arguments, constants, results"), html("span", {class: "space"}), ...legend(usedKinds));
    for (const [text, label, act] of [["\u2212", "Zoom out", () => zoom(1 / 1.3)], ["+", "Zoom in", () => zoom(1.3)], ["Fit", "Show all that is drawn", fit]])
      parts.push(html("button", {type: "button", "aria-label": label, onclick: act}, text));
    bar.replaceChildren(...parts);
  }

  function drawRows(item, group, open) {
    const {rows, more} = rowsOf(item, open);
    if (!rows.length) return;
    const list = kernels[item.kernel].instructions, at = new Map(rows.map((row, i) => [row, HEAD + 12 + ROW * i]));
    group.append(svg("line", {class: "axis", x1: 0, x2: BOX, y1: HEAD, y2: HEAD}));
    rows.forEach(row => {
      const instruction = list[row], y = at.get(row);
      group.append(withTip(svg("text", {class: "mono", x: GUTTER, y}, clip(`${instruction.opcode} ${instruction.name}`, BOX - GUTTER - 6, 6.7)),
        () => `${instruction.name} = ${instruction.type} ${instruction.opcode}${instruction.op_name ? `\n${instruction.op_name}` : ""}`));
      let lane = 0;
      for (const operand of new Set(instruction.operands)) {
        if (!at.has(operand)) continue;
        const from = at.get(operand) - 4, to = y - 4, bend = GUTTER - 6 - Math.min(16, 3 + 2.5 * (to - from) / ROW + lane++);
        group.append(svg("path", {class: "inner", d: `M${GUTTER - 5} ${from}C${bend} ${from} ${bend} ${to} ${GUTTER - 5} ${to}`}));
      }
    });
    if (more) group.append(svg("text", {class: "faint", x: GUTTER, y: HEAD + 12 + ROW * rows.length}, `and ${plural(more, "more instruction")}`));
  }

  function drawBox(item) {
    const {width, height} = item.size, isPill = item.outside || isPort(item.node);
    const node = item.node, open = !item.outside && chosen.node === node;
    const group = svg("g", {class: `box${isPill ? " pill" : ""}${open ? " selected" : ""}`, role: "button",
      transform: `translate(${item.x - width / 2} ${item.y})`, color: item.outside || isPort(node) ? "line" : colorOf(node),
      "aria-label": describe(item.outside ? item : node).replaceAll("\n", ", "), "data-node": item.outside ? null : node.id});
    group.append(svg("rect", {class: "frame", width, height, rx: isPill ? 12 : 4}));
    if (!isPill) group.append(svg("rect", {class: "band", width: 5, height, rx: 2}));
    const name = item.outside ? item.name : node.name || node.kind, time = isPill ? "" : timeText(node);
    group.append(svg("text", {x: 12, y: 16, "font-weight": isPill ? null : "600"}, clip(name, width - 22 - 6.5 * time.length, 6.9)));
    if (time) group.append(svg("text", {class: "faint", x: width - 8, y: 16, "text-anchor": "end"}, time));
    if (!item.outside) group.append(svg("text", {class: "faint", x: 12, y: 30}, clip(subtitle(node), width - 18, 6.2)));
    if (!isPill) drawRows(node, group, open);
    withTip(group, () => describe(item.outside ? item : node));
    group.addEventListener("click", () => { if (!dragged) activate(item); });
    item.element = group;
    return group;
  }

  function activate(item) {
    const node = item.node;
    if (!item.outside && (node.kind === "loop" || node.kind === "branch")) openScope(node);
    else if (item.outside && node.parent !== undefined && (item.key[0] === "o" || item.key[0] === "t")) {
      choose({node});
    } else choose({node});
  }

  function draw(refit) {
    if (!drawing.clientWidth) { stale = true; return; }
    stale = false;
    const all = items(), running = all.filter(item => !isPort(item));
    const whole = (wholeWanted ?? running.length <= WHOLE) && running.length <= MOST;
    let focus = chosen.node && ancestorIn(chosen.node, scope);
    if (!focus || focus.region !== region) focus = running.reduce((best, item) =>
      !best || totalOf(item) > totalOf(best) ? item : best, null) ?? all[0];
    const ports = portsWanted ?? all.length <= WHOLE;
    const candidates = ports ? all : running;
    const shown = whole ? new Set(candidates) : near(focus, candidates);
    const {outside, edges} = project(shown);
    drawBar(all, shown, whole, ports);
    const listed = outside.filter(port => port.side === "in" && (ports || port.key === "in"))
      .map(port => ({...port, outside: true}))
      .concat([...shown].sort((a, b) => a.id - b.id).map(node => ({node})),
        outside.filter(port => port.side === "out" && (ports || port.key === "out")).map(port => ({...port, outside: true})));
    const index = new Map(listed.map((item, i) => [item.outside ? item.key : item.node, i]));
    listed.forEach(item => {
      item.size = measure(item.outside ? item : item.node);
      item.width = item.size.width;
      item.height = item.size.height;
    });
    const drawnEdges = edges.map(edge => ({...edge, a: index.get(edge.from.key ?? edge.from), b: index.get(edge.to.key ?? edge.to)}))
      .filter(edge => edge.a !== undefined && edge.b !== undefined);
    const paths = layOut(listed, drawnEdges.map(edge => [edge.a, edge.b]));
    world = svg("g", {});
    drawnEdges.forEach((edge, i) => {
      const total = edge.arrays.reduce((sum, array) => sum + (array.bytes || 0), 0);
      const touches = chosen.node && [listed[edge.a].node, listed[edge.b].node].includes(chosen.node);
      world.append(withTip(svg("path", {class: `edge${touches ? " near" : ""}`, d: curve(paths[i]), "marker-end": "url(#arrow)",
        "stroke-width": 1 + Math.min(3, Math.log10(1 + total / 1024) * 0.6), "data-from": listed[edge.a].node?.id, "data-to": listed[edge.b].node?.id}),
        () => edge.arrays.slice(0, 12).map(array => array.type || "array").join("\n") + (edge.arrays.length > 12 ? "\n..." : "")));
    });
    listed.forEach(item => world.append(drawBox(item)));
    drawing.replaceChildren(svg("defs", {}, svg("marker", {id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7,
      markerUnits: "userSpaceOnUse", orient: "auto"}, svg("path", {class: "arrow", d: "M0 0L8 4L0 8z"}))), world);
    if (!listed.length) drawing.append(svg("text", {x: 20, y: 30}, "Nothing runs here."));
    drawn = {boxes: listed, edges: drawnEdges};
    drawn.left = Math.min(0, ...listed.map(item => item.x - item.width / 2));
    drawn.right = Math.max(1, ...listed.map(item => item.x + item.width / 2));
    drawn.bottom = Math.max(1, ...listed.map(item => item.y + item.height));
    rove();
    if (refit) fit();
    else place();
    showFocus(refit);
  }
  const totalOf = item => inside(item).filter(node => node.kind === "launch").reduce((sum, node) => sum + launchTime(node), 0);

  function curve(points) {
    let path = `M${points[0]}`;
    for (let i = 1; i < points.length; ++i) {
      const [x0, y0] = points[i - 1], [x1, y1] = points[i], middle = (y0 + y1) / 2;
      path += Math.abs(x0 - x1) < 0.5 ? `L${x1} ${y1}` : `C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`;
    }
    return path;
  }

  // Arrow keys follow the data: up and down to producers and consumers of an item, sideways in its rank.
  function rove() {
    const {boxes, edges} = drawn;
    const start = boxes.find(item => !item.outside && item.node === chosen.node) || boxes[0];
    boxes.forEach(item => item.element.setAttribute("tabindex", item === start ? "0" : "-1"));
    const go = item => {
      if (!item) return;
      boxes.forEach(other => other.element.setAttribute("tabindex", other === item ? "0" : "-1"));
      item.element.focus({preventScroll: true});
      reveal(item);
    };
    drawing.onkeydown = event => {
      const at = boxes.findIndex(item => item.element === document.activeElement), item = boxes[at];
      if (event.key === "+" || event.key === "=") zoom(1.3);
      else if (event.key === "-") zoom(1 / 1.3);
      else if (event.key === "0") fit();
      else if (!item) return;
      else if (event.key === "ArrowDown") go(boxes[edges.find(edge => edge.a === at)?.b]);
      else if (event.key === "ArrowUp") go(boxes[edges.find(edge => edge.b === at)?.a]);
      else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
        const rank = boxes.filter(other => other.rank === item.rank).sort((a, b) => a.x - b.x);
        go(rank[rank.indexOf(item) + (event.key === "ArrowRight" ? 1 : -1)]);
      } else if (event.key === "Enter" || event.key === " ") activate(item);
      else return;
      event.preventDefault();
    };
  }

  // When zoomed out, boxes are only colours.
  function place() {
    world?.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
    drawing.classList.toggle("afar", view.scale < 0.3);
  }
  function fit() {
    const width = drawing.clientWidth, height = drawing.clientHeight;
    const whole = Math.min(width / (drawn.right - drawn.left + 40), height / (drawn.bottom + 40));
    view.scale = Math.min(1.1, whole);
    view.x = width / 2 - view.scale * (drawn.left + drawn.right) / 2;
    view.y = Math.max(20 * view.scale, (height - view.scale * drawn.bottom) / 2);
    place();
  }
  function zoom(factor, x = drawing.clientWidth / 2, y = drawing.clientHeight / 2) {
    const scale = Math.max(0.005, Math.min(4, view.scale * factor));
    view.x = x - (x - view.x) * scale / view.scale;
    view.y = y - (y - view.y) * scale / view.scale;
    view.scale = scale;
    place();
  }
  // Moves the view so that the item is in it.
  function reveal(item) {
    const left = view.x + view.scale * (item.x - item.width / 2), top = view.y + view.scale * item.y;
    const right = left + view.scale * item.width, bottom = top + view.scale * item.height;
    if (left < 0 || right > drawing.clientWidth) view.x += drawing.clientWidth / 2 - (left + right) / 2;
    if (top < 0 || bottom > drawing.clientHeight) view.y += Math.max(drawing.clientHeight / 2 - (top + bottom) / 2, 10 - top);
    place();
  }
  // Zooms so that names are readable at the selected item, or otherwise at the first one.
  function showFocus(refit) {
    const item = drawn.boxes.find(other => !other.outside && other.node === chosen.node);
    if (refit && view.scale < 0.6 && drawn.boxes.length) {
      const target = item || drawn.boxes.find(other => !other.outside) || drawn.boxes[0];
      view.scale = 0.8;
      view.x = drawing.clientWidth / 2 - view.scale * target.x;
      view.y = drawing.clientHeight / 3 - view.scale * target.y;
      if (view.y > 20) view.y = 20;
      place();
    }
    if (item) reveal(item);
  }

  let dragged = false, from = null;
  drawing.addEventListener("pointerdown", event => { from = {x: event.clientX, y: event.clientY, view: {...view}}; dragged = false; });
  drawing.addEventListener("pointermove", event => {
    if (!from) return;
    const dx = event.clientX - from.x, dy = event.clientY - from.y;
    if (!dragged && Math.hypot(dx, dy) < 4) return;
    if (!dragged) { dragged = true; drawing.setPointerCapture(event.pointerId); drawing.classList.add("dragging"); }
    view.x = from.view.x + dx;
    view.y = from.view.y + dy;
    place();
  });
  for (const end of ["pointerup", "pointercancel"])
    drawing.addEventListener(end, () => { from = null; drawing.classList.remove("dragging"); });
  drawing.addEventListener("wheel", event => {
    event.preventDefault();
    const box = drawing.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.clientX - box.left, event.clientY - box.top);
  }, {passive: false});

  onChoice(({node}) => {
    if (!node) return;
    const parent = nodes[node.parent];
    const moves = parent && (parent !== scope || node.region !== region);
    if (moves) { scope = parent; region = node.region; wholeWanted = portsWanted = null; }
    draw(moves || !drawn.boxes.some(item => !item.outside && item.node === node));
  });
  let width = 0;
  whenSized(drawing, () => { if (stale || Math.abs(width - drawing.clientWidth) > 40) { width = drawing.clientWidth; draw(true); } });
  return {draw, openScope};
})();
