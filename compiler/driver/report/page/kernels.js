// The table of kernels, in the order of their time.

(() => {
  const rows = new Map();
  const total = totalTime || 1;
  const ratio = kernel => {
    if (kernel.measured === undefined) return 0;
    const predicted = kernel.together.reduce((sum, part) => sum + predictedTime(part), 0);
    return predicted ? kernel.measured / predicted : 0;
  };
  const once = kernel => kernel.times === null ? " a launch" : "";
  const columns = [
    {title: "Kernel", key: kernel => kernel.name},
    {title: "Kind", key: kernel => kernel.kind},
    {title: "Launches", number: true, key: kernel => kernel.times ?? kernel.launches},
    ...profile ? [{title: "Measured", number: true, key: callTime, first: true}] : [],
    {title: "Predicted", number: true, key: predictedTime, first: !profile},
    ...profile ? [{title: "Measured / predicted", number: true, key: ratio}] : [],
    {title: "At least", number: true, key: limitTime},
    {title: "Share", number: true, key: callTime},
    {title: "Tasks", number: true, key: kernel => kernel.tasks},
    {title: "Code", number: true, key: kernel => kernel.code_bytes ?? 0},
    {title: "Schedule, and the second best"},
  ];

  function scheduleCell(kernel) {
    const {chosen: won, next, rest} = splitRemark(kernel);
    if (!kernel.schedule) return html("td", {class: "wide next"}, "");
    const line = (schedule, time, attributes, ...before) => {
      const {strategy, text} = parameters(schedule);
      return html("div", attributes, ...before, html("strong", {}, strategy), " ", html("span", {class: "mono"}, text),
        time === undefined ? null : `, ${seconds(time)} a launch`);
    };
    return html("td", {class: "wide"}, line(kernel.schedule, won?.time, {}),
      next ? line(next.schedule, next.time, {class: "next"}, "next: ") : null,
      rest.map(part => html("div", {class: "next"}, part)));
  }

  function makeRow(kernel) {
    const cell = (...content) => html("td", {class: "number"}, ...content);
    const share = callTime(kernel) / total;
    const counts = kernel.times === null ? `${number(kernel.launches)} in the program`
      : number(kernel.times);
    const row = html("tr", {"data-kernel": kernel.id, onclick: () => choose({kernel})},
      html("th", {scope: "row"}, html("button", {type: "button"}, clip(kernel.name, 260))),
      html("td", {}, html("span", {class: "legend"}, html("i", {color: kindColor(kernel.kind)}), kernel.kind)),
      cell(counts),
      profile ? cell(kernel.partOf ? `with ${clip(kernel.partOf.name, 120)}` : kernel.measured === undefined ? "\u2013" : seconds(kernel.measured)) : null,
      cell(seconds(predictedTime(kernel)) + once(kernel)),
      profile ? cell(ratio(kernel) ? ratio(kernel).toFixed(2) : "\u2013") : null,
      cell(seconds(limitTime(kernel))),
      html("td", {class: "sharecell"}, kernel.partOf ? "" : percent(share),
        html("span", {class: "share", style: `width:${Math.max(0, Math.min(1, share)) * 60}px`})),
      cell(number(kernel.tasks)),
      cell(kernel.code_bytes === undefined ? "inlined" : bytes(kernel.code_bytes)),
      scheduleCell(kernel));
    withTip(row.firstChild, () => `${kernel.name}\n${kernel.outputs.join(", ")}${kernel.op_name ? `\n${kernel.op_name}` : ""}`);
    rows.set(kernel, row);
    return row;
  }
  kernels.forEach(makeRow);

  let wanted = "";
  const matches = kernel => [kernel.name, kernel.kind, kernel.op_name, kernel.schedule,
    ...kernel.instructions.map(instruction => instruction.name)].some(text => text?.toLowerCase().includes(wanted));
  const count = html("span", {role: "status"});
  const update = makeSorter(byId("kernel-table"), columns, (body, order) => {
    const shown = kernels.filter(matches).sort(order);
    body.replaceChildren(...shown.map(kernel => rows.get(kernel)), ...wanted ? [] : otherRows.map(row =>
      html("tr", {class: "other"}, html("th", {scope: "row"}, row.name), html("td", {}, row.category),
        html("td", {class: "number"}, number(row.times)), html("td", {class: "number"}, seconds(row.seconds)),
        html("td", {colspan: 3}), html("td", {class: "sharecell"}, percent(row.seconds / total)), html("td", {colspan: 3}))));
    count.textContent = shown.length === kernels.length ? plural(kernels.length, "kernel") : `${shown.length} of ${plural(kernels.length, "kernel")}`;
  });
  const unknown = kernels.some(kernel => kernel.times === null);
  byId("kernel-bar").replaceChildren(
    html("label", {}, "Find", html("input", {type: "search", id: "kernel-filter", oninput: event => { wanted = event.target.value.toLowerCase(); update(); }})),
    count, html("span", {class: "space"}),
    html("span", {}, profile
      ? `Times of a call, which takes ${seconds(profile.call_seconds)} on ${plural(profile.threads, "thread")} (${profile.cpu}), median of ${plural(profile.calls, "call")}; predictions are for one core`
      : `Predicted times of a call on one core${unknown ? ", or of one launch if the number of launches is known only at run time" : ""}; measured ones: hlo-run --report`));
  update();
  onChoice(({kernel}) => {
    for (const [other, row] of rows) {
      row.classList.toggle("selected", other === kernel);
      if (other === kernel) { row.setAttribute("aria-current", "true"); if (!byId("kernels").hidden) row.scrollIntoView({block: "nearest"}); }
      else row.removeAttribute("aria-current");
    }
  });

  // Operations that were not fused, and why.
  const apart = byId("apart-table");
  const reasons = data.not_fused;
  const draw = makeSorter(apart, [
    {title: "Instruction", key: entry => entry.name},
    {title: "Line", number: true, key: entry => entry.line ?? 0, first: true, ascending: true},
    {title: "Why it is not fused into its users' kernels", key: entry => entry.reason},
  ], (body, order) => body.replaceChildren(...[...reasons].sort(order).map(entry =>
    html("tr", {}, html("th", {scope: "row"}, entry.name), html("td", {class: "number"}, entry.line ?? ""), html("td", {}, entry.reason)))));
  draw();
  if (!reasons.length) apart.append(html("caption", {}, "Every operation is fused into its users' kernels."));
})();
