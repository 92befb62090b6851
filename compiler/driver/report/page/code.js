// The selected kernel: its properties, the user's lines it was made from, its HLO next to its assembly.

(() => {
  const FIRST_LINES = 1500;
  const facts = byId("facts"), python = byId("python"), hlo = byId("hlo"), assembly = byId("assembly");

  function drawFacts(kernel, node) {
    const entries = [];
    const add = (name, ...value) => entries.push(html("dt", {}, name), html("dd", {}, ...value));
    if (!kernel) {
      if (node) add("what", node.kind === "call" ? `call of ${node.callee}` : node.kind);
      if (node?.type) add("array", `${node.type}, ${bytes(node.bytes)}`);
      if (node?.trips !== undefined) add("runs", plural(node.trips, "time"));
      facts.replaceChildren(html("dl", {}, entries));
      return;
    }
    const {chosen: won, next, rest} = splitRemark(kernel), total = kernel.bytes_read + kernel.bytes_written;
    add("gives", kernel.outputs.join(", "));
    if (kernel.op_name) add("op_name", kernel.op_name);
    add("launched", kernel.launches === 1 && kernel.times === 1 ? "once" :
      `at ${plural(kernel.launches, "place")}${kernel.times === null ? "; how often is known only at run time" : `, ${plural(kernel.times, "time")} in a call`}`);
    if (kernel.partOf || kernel.together?.length > 1)
      add("together", `with ${(kernel.partOf ?? kernel).together.filter(other => other !== kernel).map(other => other.name).join(", ")}, tile by tile: one measured time`);
    const source = kernel.partOf ?? kernel;
    if (source.measured !== undefined) add("measured", `${seconds(source.measured)} of a call${source.times > 1 ? `, ${seconds(source.measured / source.times)} a launch` : ""}`);
    add("predicted", `${seconds(kernel.predicted_seconds)} a launch on one core`);
    add("at least", `${seconds(kernel.limit_seconds)} on this machine`);
    add("work", `${flops(kernel.flops)}, ${bytes(kernel.bytes_read)} read, ${bytes(kernel.bytes_written)} written` + (kernel.flops && total ? `: ${intensity(kernel).toPrecision(3)} flop/byte` : ""));
    add("tasks", kernel.tasks > 1 ? `${number(kernel.tasks)}, of ${plural(kernel.units, "unit")}` : `serial, ${plural(kernel.units, "unit")}`);
    add("code", kernel.code_bytes === undefined ? "inlined into the program" : bytes(kernel.code_bytes));
    if (kernel.schedule) add("schedule", html("span", {class: "mono"}, kernel.schedule));
    if (won) add("its cost", `${seconds(won.time)} per launch, without start and end`);
    if (next) add("next", html("span", {class: "mono"}, next.schedule), `, ${seconds(next.time)}`);
    rest.forEach(part => add("", part));
    facts.replaceChildren(html("dl", {}, entries));
  }

  // Locations in the user's program, those of most instructions first; each with its callers.
  function drawPython(kernel, node) {
    const counts = new Map();
    const count = place => { if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1); };
    if (kernel) kernel.instructions.forEach(instruction => count(instruction.place));
    if (!counts.size) count((kernel ?? node)?.place);
    const text = place => html("div", {class: "code"}, place.text.trim() || "\u00a0");
    const name = place => `${place.file}:${place.line}${place.function ? ` in ${place.function}` : ""}`;
    const sorted = [...counts].sort((a, b) => b[1] - a[1]);
    python.replaceChildren(...sorted.map(([id, uses]) => {
      const place = data.places[id], calls = [];
      for (let at = place.caller, depth = 0; at !== undefined && depth < 100; at = data.places[at].caller, ++depth) calls.push(data.places[at]);
      return html("div", {class: "place"}, html("div", {}, html("strong", {}, `${place.file.split("/").pop()}:${place.line}`), place.function ? ` in ${place.function}` : "",
        kernel && uses > 1 ? html("span", {class: "next"}, ` \u2014 ${plural(uses, "instruction")}`) : null),
        place.text ? text(place) : null,
        calls.length ? html("details", {}, html("summary", {}, `called by ${plural(calls.length, "line")}`), calls.map(call =>
          html("div", {}, html("div", {class: "note"}, name(call)), call.text ? text(call) : null))) : null);
    }));
    if (!sorted.length) python.append(html("p", {class: "note"}, "The HLO does not contain the lines that it was made from."));
  }

  const tint = new Map();
  function light(line) {
    for (const pane of [hlo, assembly]) {
      let first = null;
      pane.querySelectorAll("[data-line]").forEach(row => {
        const lit = line !== null && row.dataset.line === String(line);
        row.classList.toggle("lit", lit);
        if (lit) first ??= row;
      });
      light[pane.id] = first;
    }
  }
  function codeRow(label, text, line) {
    const row = html("div", {"data-line": line || null}, html("span", {}, label), html("span", {}, text));
    if (line && tint.has(line)) row.style.setProperty("--tint", tint.get(line));
    return row;
  }
  for (const [pane, other] of [[hlo, assembly], [assembly, hlo]]) {
    pane.addEventListener("pointerover", event => { const row = event.target.closest("[data-line]"); if (row) light(row.dataset.line); });
    pane.addEventListener("click", event => {
      const row = event.target.closest("[data-line]");
      if (!row) return;
      light(row.dataset.line);
      light[other.id]?.scrollIntoView({block: "center"});
    });
  }

  function linesOf(kernel) {
    const lines = new Set(kernel.instructions.map(instruction => instruction.line).filter(Boolean));
    if (kernel.line) lines.add(kernel.line);
    return [...lines].sort((a, b) => a - b);
  }

  function drawHlo(kernel, node) {
    const lines = kernel ? linesOf(kernel) : node?.line ? [node.line] : [];
    tint.clear();
    lines.forEach((line, i) => tint.set(line, `hsl(${(i * 137.5) % 360} 65% 55%)`));
    const code = html("div", {class: "code wrap"}, lines.map(line => codeRow(line, data.hlo_lines[line] ?? "", line)));
    hlo.replaceChildren(code);
    if (!lines.length) code.append(html("p", {class: "note"}, kernel || node ? "No line of the file is known." : ""));
    if (kernel) {
      const made = kernel.instructions.filter(instruction => !instruction.line).length;
      if (made) code.append(html("p", {class: "note"}, `and ${plural(made, "instruction")} that the compiler made`));
    }
  }

  function drawAssembly(kernel) {
    if (!kernel) {
      assembly.replaceChildren(html("p", {class: "note"}, "Select a kernel."));
      return;
    }
    const lines = new Set(linesOf(kernel)), parts = [];
    let own = data.assembly.filter(part => part.kernel === kernel.id);
    if (!own.length && data.assembly.length) {
      parts.push(html("p", {class: "note"}, "The code is inlined into the program: these are the instructions there that came from the kernel's lines."));
      own = data.assembly.filter(part => part.kernel === undefined)
        .map(part => ({symbol: part.symbol, lines: part.lines.filter(([, line]) => lines.has(line))})).filter(part => part.lines.length);
    }
    const code = html("div", {class: "code"});
    let left = FIRST_LINES, hidden = [];
    for (const part of own) {
      const rows = part.lines.map(([text, line], i) => () => codeRow(i + 1, /^\S*:$/.test(text) ? text : `  ${text.replace("\t", " ")}`, line || null));
      const now = rows.slice(0, left);
      left -= now.length;
      code.append(html("h4", {}, part.symbol), ...now.map(make => make()));
      if (part.count > part.lines.length) code.append(html("p", {class: "note"}, `${number(part.count - part.lines.length)} more lines are not in this file`));
      if (now.length < rows.length) hidden = hidden.concat(rows.slice(now.length));
      if (hidden.length) break;
    }
    if (hidden.length)
      code.append(html("button", {type: "button", onclick: event => { event.target.remove(); code.append(...hidden.map(make => make())); }}, `Show ${plural(hidden.length, "more line")}`));
    if (!own.length) parts.push(html("p", {class: "note"}, data.assembly.length ? "No instruction came from the kernel's lines." : "There is no assembly for this kind of machine."));
    assembly.replaceChildren(...parts, code);
  }

  onChoice(({kernel, node}) => {
    byId("selected-name").textContent = kernel ? kernel.name + (node && node.name && node.name.replace(/[^A-Za-z0-9]/g, "_") !== kernel.name ? ` (here ${node.name})` : "") : node?.name || "Nothing is chosen";
    drawFacts(kernel, node);
    drawPython(kernel, node);
    drawHlo(kernel, node);
    drawAssembly(kernel);
    for (const id of ["facts-pane", "hlo-pane", "assembly-pane"]) byId(id).scrollTop = 0;
  });
})();
