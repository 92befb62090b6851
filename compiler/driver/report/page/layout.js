// Layered drawing of a directed graph: ranks from top to bottom, few crossings, straight long edges.
// Items have {width, height}, `edges` are pairs of numbers of items, from lower ranks to higher ones; the
// order of items is one in which every edge points forward. Gives items x, y (their middle, their top) and
// `rank`, and for each edge the points that it goes through.

function layOut(items, edges, gaps = {x: 18, y: 42}) {
  const cells = items.map((item, i) => ({item, i, width: item.width, height: item.height, up: [], down: [], x: 0}));
  const forward = edges.map(([from, to]) => [Math.min(from, to), Math.max(from, to)]);
  const above = cells.map(() => []), below = cells.map(() => []);
  forward.forEach(([from, to]) => { below[from].push(to); above[to].push(from); });

  // Ranks: below all predecessors; items without predecessors are just above their first successor.
  cells.forEach((cell, i) => { cell.rank = above[i].reduce((rank, from) => Math.max(rank, cells[from].rank + 1), 0); });
  for (let i = cells.length - 1; i >= 0; --i)
    if (!above[i].length && below[i].length)
      cells[i].rank = Math.min(...below[i].map(to => cells[to].rank)) - 1;
  const least = Math.min(0, ...cells.map(cell => cell.rank));
  cells.forEach(cell => { cell.rank -= least; });

  // Edges over several ranks go through cells without a box.
  const routes = forward.map(([from, to]) => {
    const route = [cells[from]];
    for (let rank = cells[from].rank + 1; rank < cells[to].rank; ++rank) {
      const cell = {item: null, width: 8, height: 0, rank, up: [], down: [], x: 0};
      cells.push(cell);
      route.push(cell);
    }
    route.push(cells[to]);
    for (let i = 1; i < route.length; ++i) { route[i - 1].down.push(route[i]); route[i].up.push(route[i - 1]); }
    return route;
  });
  const ranks = [];
  cells.forEach(cell => (ranks[cell.rank] ??= []).push(cell));
  for (let rank = 0; rank < ranks.length; ++rank) ranks[rank] ??= [];
  orderRanks(ranks);
  placeRanks(ranks, gaps.x);

  let y = 0;
  for (const rank of ranks) {
    const height = Math.max(0, ...rank.map(cell => cell.height));
    rank.forEach(cell => { cell.y = y; cell.rankHeight = height; });
    y += height + gaps.y;
  }
  cells.forEach(cell => {
    if (cell.item) Object.assign(cell.item, {x: cell.x, y: cell.y, rank: cell.rank});
  });
  // An edge bends only between ranks, where there are no boxes.
  return routes.map(route => route.flatMap((cell, i) => {
    const top = [cell.x, cell.y], bottom = [cell.x, cell.y + cell.rankHeight];
    return i === 0 ? [[cell.x, cell.y + cell.height], bottom] : i === route.length - 1 ? [top] : [top, bottom];
  }));
}

// Sweeps down and up, moving each cell to the middle of its neighbours.
function orderRanks(ranks) {
  ranks.forEach(rank => rank.forEach((cell, i) => { cell.order = i; }));
  const mean = (cell, side) => cell[side].length
    ? cell[side].reduce((sum, other) => sum + other.order / Math.max(1, ranks[other.rank].length - 1), 0) / cell[side].length
    : cell.order / Math.max(1, ranks[cell.rank].length - 1);
  for (let sweep = 0; sweep < 10; ++sweep) {
    const side = sweep % 2 ? "down" : "up";
    for (const rank of sweep % 2 ? [...ranks].reverse() : ranks) {
      rank.forEach(cell => { cell.key = mean(cell, side); });
      rank.sort((a, b) => a.key - b.key || a.order - b.order);
      rank.forEach((cell, i) => { cell.order = i; });
    }
  }
}

// Places cells of a rank as close to their preferred positions as their widths and their order allow: those that
// would overlap become a block, which is placed at the mean of its cells' preferences.
function placeRank(rank, gap) {
  let offset = 0;
  const blocks = [];
  for (const cell of rank) {
    offset += cell.width / 2;
    cell.offset = offset;
    offset += cell.width / 2 + gap;
    let block = {cells: [cell], weight: cell.weight, sum: cell.weight * (cell.preferred - cell.offset)};
    while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].weight >= block.sum / block.weight) {
      const before = blocks.pop();
      block = {cells: before.cells.concat(block.cells), weight: before.weight + block.weight, sum: before.sum + block.sum};
    }
    blocks.push(block);
  }
  for (const block of blocks) for (const cell of block.cells) cell.x = cell.offset + block.sum / block.weight;
}

function placeRanks(ranks, gap) {
  for (const rank of ranks) {
    let x = 0;
    const width = rank.reduce((sum, cell) => sum + cell.width + gap, 0);
    for (const cell of rank) { cell.x = x + cell.width / 2 - width / 2; x += cell.width + gap; }
  }
  for (let sweep = 0; sweep < 12; ++sweep) {
    const sides = sweep >= 10 ? ["up", "down"] : sweep % 2 ? ["down"] : ["up"];
    for (const rank of sweep % 2 ? [...ranks].reverse() : ranks) {
      for (const cell of rank) {
        let sum = 0, weight = 0;
        for (const side of sides) for (const other of cell[side]) {
          const pull = cell.item || other.item ? 1 : 4; // long edges are straight
          sum += pull * other.x;
          weight += pull;
        }
        cell.preferred = weight ? sum / weight : cell.x;
        cell.weight = Math.max(weight, 0.1);
      }
      placeRank(rank, gap);
    }
  }
}
