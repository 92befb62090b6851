// The roofline: the rate of arithmetic of kernels over their arithmetic per byte, below the limits of the machine's
// memory and arithmetic for one core.

(() => {
  const drawing = byId("roofline-drawing"), machine = data.machine;
  const points = kernels.filter(kernel => kernel.flops > 0 && flopRate(kernel) > 0 && Number.isFinite(intensity(kernel)));
  const left = kernels.length - points.length, threads = profile ? profile.threads : 1;
  byId("roofline-bar").replaceChildren(
    html("span", {}, `${profile ? "Measured where known, else predicted" : "Predicted"}; a dot is as large as the kernel's share of the time.` +
      (left ? ` ${plural(left, "kernel")} without floating-point operations ${left === 1 ? "is" : "are"} not shown.` : "")),
    html("span", {class: "space"}), ...legend(new Set(points.map(kernel => kindColor(kernel.kind)))));

  // Rates of the element types that the kernels have; the machine's table knows some.
  const types = [...new Set(points.map(kernel => kernel.element_type).map(type => ({c64: "f32", c128: "f64"})[type] ?? type))];
  const peaks = [];
  for (const type of types.filter(type => machine.flops_per_second[type]).concat(types.length ? [] : ["f32"])) {
    const rate = machine.flops_per_second[type], same = peaks.find(peak => peak.rate === rate);
    if (same) same.types.push(type);
    else peaks.push({rate, types: [type]});
  }
  if (!peaks.length) peaks.push({rate: machine.flops_per_second.f32, types: ["f32"]});
  peaks.sort((a, b) => b.rate - a.rate);
  const memory = machine.levels[machine.levels.length - 1];

  function draw() {
    const width = drawing.clientWidth, height = drawing.clientHeight, margin = {left: 86, right: 22, top: 26, bottom: 40};
    const top = peaks[0].rate * (threads > 1 ? threads : 1);
    const xs = points.map(intensity), ys = points.map(flopRate);
    const ridge = peaks[0].rate / memory.bytes_per_second;
    const low = values => 10 ** Math.floor(Math.log10(Math.min(...values)));
    const high = values => 10 ** Math.ceil(Math.log10(Math.max(...values)));
    const x0 = low([...xs, 0.1]), x1 = high([...xs, ridge * 4]), y0 = low([...ys, top / 1e3]), y1 = high([top * 1.3]);
    const at = (value, from, to, a, b) => a + (b - a) * Math.log(value / from) / Math.log(to / from);
    const x = value => at(value, x0, x1, margin.left, width - margin.right);
    const y = value => at(value, y0, y1, height - margin.bottom, margin.top);
    const parts = [];
    for (let value = x0; value <= x1 * 1.0001; value *= 10)
      parts.push(svg("line", {class: "grid", x1: x(value), x2: x(value), y1: margin.top, y2: height - margin.bottom}),
        svg("text", {class: "faint", x: x(value), y: height - margin.bottom + 15, "text-anchor": "middle"}, value >= 1 ? number(value) : String(Number(value.toPrecision(1)))));
    for (let value = y0; value <= y1 * 1.0001; value *= 10)
      parts.push(svg("line", {class: "grid", x1: margin.left, x2: width - margin.right, y1: y(value), y2: y(value)}),
        svg("text", {class: "faint", x: margin.left - 8, y: y(value) + 4, "text-anchor": "end"}, `${flops(value)}/s`));
    parts.push(svg("text", {class: "faint", x: (margin.left + width - margin.right) / 2, y: height - 6, "text-anchor": "middle"}, "floating-point operations for each byte read or written"));
    const roof = (rate, bandwidth, kind) => {
      const knee = rate / bandwidth, start = Math.max(x0, y0 / bandwidth);
      return svg("path", {class: `roof ${kind}`, d: `M${x(start)} ${y(bandwidth * start)}L${x(Math.min(knee, x1))} ${y(bandwidth * Math.min(knee, x1))}${knee < x1 ? `L${x(x1)} ${y(rate)}` : ""}`});
    };
    const taken = [];
    // Rates are labelled at the left, where there are few kernels.
    const knee = rate => Math.max(x0, rate / machine.levels[0].bytes_per_second);
    const label = (text, px, py) => {
      while (taken.some(([qx, qy]) => Math.abs(qx - px) < 120 && Math.abs(qy - py) < 12)) py += 13;
      taken.push([px, py]);
      parts.push(svg("text", {class: "faint", x: px, y: py}, text));
    };
    const slope = Math.atan2(y(1) - y(10), x(10) - x(1)) * 180 / Math.PI;
    for (const level of machine.levels) {
      parts.push(roof(peaks[0].rate, level.bytes_per_second, level === memory ? "" : "cache"));
      const start = Math.max(x0 * 1.15, 1.15 * y0 / level.bytes_per_second);
      const px = x(start), py = y(level.bytes_per_second * start) - 5;
      parts.push(svg("text", {class: "faint", x: px, y: py, transform: `rotate(${-slope} ${px} ${py})`}, `${level.name} ${scaled(level.bytes_per_second / 1e9, ["GB/s"])}`));
    }
    for (const peak of peaks) {
      if (peak !== peaks[0]) parts.push(roof(peak.rate, memory.bytes_per_second, ""));
      label(`${peak.types.join(", ")}: ${flops(peak.rate)}/s on one core`, x(knee(peak.rate)) + 6, y(peak.rate) - 5);
    }
    if (threads > 1) {
      parts.push(roof(top, Math.min(machine.all_cores_bytes_per_second, threads * memory.bytes_per_second), "cache"));
      label(`${threads} threads: ${flops(top)}/s`, x(knee(top)) + 6, y(top) - 5);
    }
    const share = kernel => callTime(kernel) / (totalTime || 1);
    const dots = [...points].sort((a, b) => share(b) - share(a)).map(kernel => {
      const dot = svg("circle", {class: `point${chosen.kernel === kernel ? " selected" : ""}`, color: kindColor(kernel.kind), "data-kernel": kernel.id,
        cx: x(intensity(kernel)), cy: y(flopRate(kernel)), r: 4 + 18 * Math.sqrt(Math.max(0, Math.min(1, share(kernel)))), role: "button",
        "aria-label": `${kernel.name}, ${flops(flopRate(kernel))} a second`, onclick: () => choose({kernel})});
      return withTip(dot, () => `${kernel.name} (${kernel.kind})\n${flops(flopRate(kernel))}/s, ${intensity(kernel).toPrecision(3)} flop/byte\n` +
        `${percent(share(kernel))} of the time, ${(100 * limitTime(kernel) / ((kernel.partOf ? predictedTime(kernel) : callTime(kernel)) || 1)).toFixed(0)}% of the machine's limit`);
    });
    const group = svg("g", {}, dots);
    // Labels for the largest ones.
    for (const [i, kernel] of [...points].sort((a, b) => share(b) - share(a)).slice(0, 8).entries()) {
      const px = x(intensity(kernel)), radius = Number(dots[i].getAttribute("r")), py = y(flopRate(kernel)) - radius - 3;
      if (taken.some(([qx, qy]) => Math.abs(qx - px) < 90 && Math.abs(qy - py) < 12)) continue;
      taken.push([px, py]);
      group.append(svg("text", {x: px, y: py, "text-anchor": "middle", class: "pointname"}, clip(kernel.name, 150)));
    }
    drawing.replaceChildren(...parts, group);
    if (!points.length) drawing.append(svg("text", {x: margin.left + 20, y: margin.top + 30}, "No kernel has floating-point operations."));
    else makeRover(drawing, dots);
  }
  whenSized(drawing, draw);
  onChoice(({kernel}) => drawing.querySelectorAll(".point").forEach(dot =>
    dot.classList.toggle("selected", kernel !== null && Number(dot.dataset.kernel) === kernel.id)));
})();
