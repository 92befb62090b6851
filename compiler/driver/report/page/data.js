// The data of the report, and values derived from it. Independent of the page.

const data = JSON.parse(document.getElementById("data").textContent);
const kernels = data.kernels, nodes = data.nodes;

nodes.forEach((node, id) => { node.id = id; node.children = []; node.from = []; node.to = []; });
nodes.forEach(node => { if (node.parent !== undefined) nodes[node.parent].children.push(node); });
data.edges.forEach(edge => { nodes[edge.from].to.push(edge); nodes[edge.to].from.push(edge); });
kernels.forEach((kernel, id) => { kernel.id = id; kernel.nodes = []; });
const launches = nodes.filter(node => node.kind === "launch");
launches.forEach((node, order) => { node.order = order; kernels[node.kernel].nodes.push(node); });

const profile = data.profile;
const kernelByName = new Map(kernels.map(kernel => [kernel.name, kernel]));

// Launches in one call of the program: as measured, or otherwise from the trip counts of loops.
kernels.forEach(kernel => {
  const counts = kernel.nodes.map(node => node.times);
  kernel.times = counts.some(count => count === undefined) ? null : counts.reduce((a, b) => a + b, 0);
});
const otherRows = [];
if (profile) {
  kernels.forEach(kernel => { kernel.times = 0; }); // what has no row did not run
  for (const row of profile.rows) {
    const together = row.category === "kernel" ? row.name.split("+").map(name => kernelByName.get(name)) : [];
    if (!together.length || together.some(kernel => !kernel)) {
      otherRows.push(row);
      continue;
    }
    // Kernels that run together, tile by tile, have one time, which is counted once: for the last, which the
    // others are for.
    const last = together[together.length - 1];
    for (const kernel of together) {
      kernel.times += row.times;
      if (kernel !== last) kernel.partOf = last;
    }
    last.measured = (last.measured ?? 0) + row.seconds;
    if (!last.together || together.length > 1) last.together = together;
  }
  kernels.forEach(kernel => { if (kernel.measured !== undefined) delete kernel.partOf; }); // it also runs alone
}

// Seconds of a kernel in one call, measured if possible; of one launch if it is not known how often
// it runs.
function predictedTime(kernel) { return kernel.predicted_seconds * (kernel.times ?? 1); }
function callTime(kernel) {
  if (kernel.partOf) return 0;
  return profile ? kernel.measured ?? 0 : predictedTime(kernel);
}
function limitTime(kernel) {
  return (kernel.together ?? [kernel]).reduce((sum, part) => sum + part.limit_seconds * (part.times ?? 1), 0);
}
function launchTime(node) {
  const kernel = kernels[node.kernel];
  const all = kernel.nodes.reduce((sum, other) => sum + (other.times ?? 1), 0);
  return all ? callTime(kernel) * (node.times ?? 1) / all : 0;
}
const totalTime = profile ? profile.call_seconds : kernels.reduce((sum, kernel) => sum + callTime(kernel), 0);

// Floating-point operations for each byte that is read or written, and each second.
function intensity(kernel) {
  const bytes = kernel.bytes_read + kernel.bytes_written;
  return bytes ? kernel.flops / bytes : Infinity;
}
function flopRate(kernel) {
  const seconds = kernel.measured && kernel.times && !kernel.together[1]
    ? kernel.measured / kernel.times : kernel.predicted_seconds;
  return seconds > 0 ? kernel.flops / seconds : 0;
}

// Parses "A, 1.20 us; next: B, 1.40 us; ...": schedules with the predicted times of a launch that they were
// chosen by, and the other parts.
function splitRemark(kernel) {
  const parts = (kernel.remark || "").split("; ");
  const read = part => {
    const match = /^(?:next: )?(.*), ([0-9.]+) us$/.exec(part || "");
    return match ? {schedule: match[1], time: Number(match[2]) / 1e6} : null;
  };
  const next = parts.find(part => part.startsWith("next: "));
  return {chosen: read(parts[0]), next: read(next), rest: parts.slice(1).filter(part => part !== next)};
}
function parameters(schedule) {
  const match = /^#hlo\.schedule<"([^"]*)"\s*(.*)>$/.exec(schedule || "");
  return match ? {strategy: match[1], text: match[2]} : {strategy: schedule || "", text: ""};
}

// All nodes inside a node, itself included.
function inside(node, found = []) {
  found.push(node);
  node.children.forEach(child => inside(child, found));
  return found;
}
function ancestorIn(node, parent) {
  while (node && node.parent !== parent.id) node = nodes[node.parent];
  return node;
}

// Numbers for readers.
function number(value) { return value.toLocaleString("en-US"); }
function scaled(value, units, step = 1000) {
  let unit = 0;
  while (Math.abs(value) >= step && unit < units.length - 1) { value /= step; ++unit; }
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}
function bytes(value) { return value < 1024 ? `${value} B` : scaled(value / 1024, ["KiB", "MiB", "GiB", "TiB"], 1024); }
function seconds(value) {
  if (value === 0) return "0";
  return value < 1e-6 ? scaled(value * 1e9, ["ns"]) : scaled(value * 1e6, ["us", "ms", "s"]);
}
function flops(value) { return scaled(value, ["", "K", "M", "G", "T", "P"]) + "flop"; }
function percent(share) { return `${(100 * share).toFixed(1)}%`; }
function plural(count, word) { return `${number(count)} ${word}${count === 1 ? "" : word.endsWith("h") ? "es" : "s"}`; }
