// The frame around the views: heading, strip of launches, tabs, divider, theme.

(() => {
  const sizes = data.sizes, target = data.target;
  document.title = `${data.module} \u2013 hloc report`;
  byId("title").textContent = data.module;
  byId("summary").textContent = [
    `${data.file} for ${target.cpu} (${target.triple.split("-")[0]}), -O${target.optimization}${target.single_threaded ? ", one thread" : ""}`,
    `${plural(kernels.length, "kernel")}, ${plural(sizes.launches, "launch")}`,
    profile ? `a call takes ${seconds(profile.call_seconds)} on ${plural(profile.threads, "thread")}` : null,
    `arena ${bytes(sizes.arena_bytes)}`, `constants ${bytes(sizes.constant_bytes)}`, `code ${bytes(sizes.code_bytes)}`,
    `hloc ${data.hloc}`].filter(Boolean).join(" \u00b7 ");

  // Launches as wide as their time; the narrowest can still be seen and clicked.
  const strip = byId("order-strip");
  function drawStrip() {
    const width = strip.clientWidth, height = strip.clientHeight;
    const times = launches.map(launchTime);
    let sum = times.reduce((a, b) => a + b, 0);
    const widths = sum ? times : times.map(() => 1);
    sum ||= widths.length;
    const least = Math.min(2, 0.4 * width / Math.max(1, launches.length)), free = width - least * launches.length;
    let x = 0;
    const cells = launches.map((node, i) => {
      const wide = least + free * widths[i] / sum;
      const cell = withTip(svg("rect", {class: `launch${chosen.node === node ? " selected" : ""}`, color: colorOf(node), x, y: 2, height: height - 4,
        width: Math.max(0.3, wide - (wide > 4 ? 1 : 0)), role: "button", "data-node": node.id, "aria-label": `${node.name}, ${seconds(times[i])}`,
        onclick: () => choose({node})}), () => `${node.name}: ${seconds(times[i])}\n${kernels[node.kernel].kind} ${kernels[node.kernel].outputs.join(", ")}`);
      x += wide;
      return cell;
    });
    strip.replaceChildren(...cells);
    if (cells.length) makeRover(strip, cells);
  }
  whenSized(strip, drawStrip);
  onChoice(({node}) => strip.querySelectorAll("rect").forEach(cell => cell.classList.toggle("selected", node !== null && Number(cell.dataset.node) === node.id)));

  const tabs = [...document.querySelectorAll("[role=tab]")];
  function show(tab) {
    for (const other of tabs) {
      const chosenTab = other === tab;
      other.setAttribute("aria-selected", chosenTab);
      other.tabIndex = chosenTab ? 0 : -1;
      byId(other.getAttribute("aria-controls")).hidden = !chosenTab;
    }
  }
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => show(tab));
    tab.addEventListener("keydown", event => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      show(next);
      next.focus();
    });
  });
  show(tabs[0]);

  const theme = byId("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
  const label = () => { theme.textContent = isDark() ? "Light theme" : "Dark theme"; };
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; label(); });
  dark.addEventListener("change", label);
  label();

  const divider = byId("divider");
  function divide(share) {
    share = Math.max(0.15, Math.min(0.85, share));
    document.body.style.setProperty("--views", `${100 * share}fr`);
    document.body.style.setProperty("--code", `${100 * (1 - share)}fr`);
    divider.setAttribute("aria-valuenow", Math.round(100 * share));
    divider.share = share;
  }
  divide(0.56);
  divider.addEventListener("pointerdown", event => { divider.setPointerCapture(event.pointerId); divider.moving = true; });
  divider.addEventListener("pointermove", event => {
    if (!divider.moving) return;
    const top = byId("views").getBoundingClientRect().top;
    divide((event.clientY - top) / (innerHeight - top));
  });
  for (const end of ["pointerup", "pointercancel"]) divider.addEventListener(end, () => { divider.moving = false; });
  divider.addEventListener("keydown", event => {
    const step = {ArrowDown: 0.04, ArrowUp: -0.04}[event.key];
    if (step) { divide(divider.share + step); event.preventDefault(); }
  });

  // The kernel that takes the most time is selected at first.
  const first = kernels.reduce((best, kernel) => !best || callTime(kernel) > callTime(best) ? kernel : best, null);
  choose(first ? {kernel: first} : {});
  document.documentElement.dataset.ready = "true";
})();
