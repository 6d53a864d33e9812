// Places boxes so that lines lead downwards and seldom cross: layers, an order in each layer, then positions. What hangs together is laid out together,
// and the parts are packed side by side.

export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly from: string;
  readonly to: string;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each box. */
  readonly places: ReadonlyMap<string, Point>;
  /** For each line, in their order: where it leads through. */
  readonly routes: readonly (readonly Point[])[];
}

const gap = { across: 48, down: 72, part: 40, margin: 16 };

export function layoutOf(boxes: readonly Box[], lines: readonly Line[]): Layout {
  const known = new Set(boxes.map((each) => each.id));
  const drawn = lines.map((line, index) => ({ ...line, index })).filter(({ from, to }) => known.has(from) && known.has(to));
  const parts = partsOf(boxes, drawn).map((part) => {
    const ids = new Set(part.map((each) => each.id));
    return layered(
      part,
      drawn.filter(({ from }) => ids.has(from)),
    );
  });
  return packed(parts, lines.length);
}

interface IndexedLine extends Line {
  readonly index: number;
}

function partsOf(boxes: readonly Box[], lines: readonly Line[]): readonly (readonly Box[])[] {
  const neighbours = new Map<string, string[]>(boxes.map((each) => [each.id, []]));
  for (const { from, to } of lines) {
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const seen = new Set<string>();
  return boxes.flatMap((start) => {
    if (seen.has(start.id)) return [];
    const found = new Set([start.id]);
    for (const id of found) for (const next of neighbours.get(id) ?? []) found.add(next);
    for (const id of found) seen.add(id);
    return [boxes.filter((each) => found.has(each.id))];
  });
}

/** A box, or a bend of a line that passes a layer. */
interface Node {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  layer: number;
  /** Its middle. */
  x: number;
  readonly above: Node[];
  readonly below: Node[];
}

interface Part {
  readonly width: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, Point>;
  readonly routes: ReadonlyMap<number, readonly Point[]>;
}

function layered(boxes: readonly Box[], lines: readonly IndexedLine[]): Part {
  const nodes = new Map<string, Node>(boxes.map((box) => [box.id, { ...box, layer: 0, x: 0, above: [], below: [] }]));
  const downward = withoutCycles(boxes, lines);
  assignLayers(nodes, downward);
  const { layers, chains } = withBends(nodes, downward);
  order(layers);
  position(layers);
  const heights = layers.map((layer) => Math.max(...layer.map((each) => each.height)));
  const tops = heights.map((_, at) => heights.slice(0, at).reduce((sum, height) => sum + height + gap.down, 0));
  const left = Math.min(...layers.flat().map((each) => each.x - each.width / 2));
  const right = Math.max(...layers.flat().map((each) => each.x + each.width / 2));
  const topOf = (node: Node): number => tops[node.layer] ?? 0;
  const places = new Map([...nodes.values()].map((node) => [node.id, { x: node.x - node.width / 2 - left, y: topOf(node) }]));
  const routes = new Map<number, readonly Point[]>();
  const ports = portsOf(chains);
  for (const { line, chain } of chains) {
    const points = chain.map((node, at): readonly Point[] => {
      const x = node.x - left;
      const top = topOf(node);
      if (at === 0) return [{ x: x + (ports.get(`${line.index} out`) ?? 0), y: top + node.height }];
      if (at === chain.length - 1) return [{ x: x + (ports.get(`${line.index} in`) ?? 0), y: top }];
      return [
        { x, y: top },
        { x, y: top + (heights[node.layer] ?? 0) },
      ];
    });
    const flat = points.flat();
    routes.set(line.index, line.isTurned ? flat.reverse() : flat);
  }
  for (const { index, from, to } of lines) {
    const place = places.get(from);
    const node = nodes.get(from);
    // A line from a box to itself leaves at its right side and comes back there.
    if (from === to && place !== undefined && node !== undefined)
      routes.set(index, [
        { x: place.x + node.width, y: place.y + 14 },
        { x: place.x + node.width, y: place.y + Math.min(44, node.height - 6) },
      ]);
  }
  return { width: right - left, height: (tops.at(-1) ?? 0) + (heights.at(-1) ?? 0), places, routes };
}

interface DownLine extends IndexedLine {
  /** Whether it leads upwards in truth. */
  readonly isTurned: boolean;
}

/** Lines that would close a circle are turned around. */
function withoutCycles(boxes: readonly Box[], lines: readonly IndexedLine[]): readonly DownLine[] {
  const state = new Map<string, 'open' | 'done'>();
  const turned = new Set<number>();
  const visit = (id: string): void => {
    state.set(id, 'open');
    for (const { from, to, index } of lines) {
      if (from !== id || to === id) continue;
      if (state.get(to) === 'open') turned.add(index);
      else if (!state.has(to)) visit(to);
    }
    state.set(id, 'done');
  };
  const entered = new Set(lines.filter(({ from, to }) => from !== to).map(({ to }) => to));
  for (const { id } of [...boxes.filter((each) => !entered.has(each.id)), ...boxes]) if (!state.has(id)) visit(id);
  return lines
    .filter(({ from, to }) => from !== to)
    .map((line) => (turned.has(line.index) ? { ...line, from: line.to, to: line.from, isTurned: true } : { ...line, isTurned: false }));
}

function assignLayers(nodes: ReadonlyMap<string, Node>, lines: readonly DownLine[]): void {
  // As often as there are layers: there is no circle any more.
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const { from, to } of lines) {
      const [upper, lower] = [nodes.get(from), nodes.get(to)];
      if (upper === undefined || lower === undefined || lower.layer > upper.layer) continue;
      lower.layer = upper.layer + 1;
      isChanged = true;
    }
  }
}

interface Chain {
  readonly line: DownLine;
  readonly chain: readonly Node[];
}

function withBends(nodes: ReadonlyMap<string, Node>, lines: readonly DownLine[]): { layers: Node[][]; chains: readonly Chain[] } {
  const depth = Math.max(...[...nodes.values()].map((each) => each.layer));
  const layers: Node[][] = Array.from({ length: depth + 1 }, () => []);
  for (const node of nodes.values()) layers[node.layer]?.push(node);
  const chains = lines.flatMap((line): readonly Chain[] => {
    const [first, last] = [nodes.get(line.from), nodes.get(line.to)];
    if (first === undefined || last === undefined) return [];
    const bends = Array.from({ length: last.layer - first.layer - 1 }, (_, at): Node => {
      const bend: Node = { id: '', width: 12, height: 0, layer: first.layer + at + 1, x: 0, above: [], below: [] };
      layers[bend.layer]?.push(bend);
      return bend;
    });
    const chain = [first, ...bends, last];
    for (const [at, node] of chain.slice(1).entries()) {
      node.above.push(chain[at] ?? first);
      chain[at]?.below.push(node);
    }
    return [{ line, chain }];
  });
  return { layers, chains };
}

/** Each node goes to the middle of those it is joined with, downwards and upwards in turn; the best order that was seen is kept. */
function order(layers: Node[][]): void {
  let best = layers.map((layer) => [...layer]);
  let fewest = crossings(layers);
  for (let round = 0; round < 12 && fewest > 0; round += 1) {
    const isDown = round % 2 === 0;
    const sweep = isDown ? layers.slice(1) : layers.slice(0, -1).reverse();
    for (const layer of sweep) {
      const place = new Map(layers.flatMap((each) => each.map((node, at) => [node, at] as const)));
      const wanted = new Map(layer.map((node) => [node, mean((isDown ? node.above : node.below).map((each) => place.get(each) ?? 0))]));
      layer.sort((a, b) => (wanted.get(a) ?? place.get(a) ?? 0) - (wanted.get(b) ?? place.get(b) ?? 0));
    }
    const now = crossings(layers);
    if (now >= fewest) continue;
    fewest = now;
    best = layers.map((layer) => [...layer]);
  }
  for (const [at, layer] of best.entries()) layers[at]?.splice(0, layer.length, ...layer);
}

function crossings(layers: readonly (readonly Node[])[]): number {
  let count = 0;
  for (const [at, layer] of layers.slice(0, -1).entries()) {
    const below = new Map(layers[at + 1]?.map((node, index) => [node, index]));
    const ends = layer.flatMap((node) => node.below.map((each) => below.get(each) ?? 0).sort((a, b) => a - b));
    for (const [first, end] of ends.entries()) count += ends.slice(first + 1).filter((each) => each < end).length;
  }
  return count;
}

function position(layers: readonly (readonly Node[])[]): void {
  for (const layer of layers) settle(layer, () => 0);
  for (let round = 0; round < 8; round += 1) {
    const isDown = round % 2 === 0;
    for (const layer of isDown ? layers.slice(1) : layers.slice(0, -1).reverse())
      settle(layer, (node) => mean((isDown ? node.above : node.below).map((each) => each.x)) ?? node.x);
  }
}

/** Puts nodes where they want to be, as far as those before them let them; then the whole layer moves to where it fits best. */
function settle(layer: readonly Node[], wanted: (node: Node) => number): void {
  const wishes = layer.map(wanted);
  let end = Number.NEGATIVE_INFINITY;
  for (const [at, node] of layer.entries()) {
    node.x = Math.max(wishes[at] ?? 0, end + node.width / 2);
    end = node.x + node.width / 2 + gap.across;
  }
  const shift = mean(layer.map((node, at) => (wishes[at] ?? 0) - node.x)) ?? 0;
  for (const node of layer) node.x += shift;
}

/** Lines that leave a box, or come to it, stand side by side, in the order of where they lead. */
function portsOf(chains: readonly Chain[]): ReadonlyMap<string, number> {
  const ports = new Map<string, number>();
  const sides = [
    { name: 'out', box: (chain: readonly Node[]) => chain[0], other: (chain: readonly Node[]) => chain[1] },
    { name: 'in', box: (chain: readonly Node[]) => chain.at(-1), other: (chain: readonly Node[]) => chain.at(-2) },
  ];
  for (const { name, box, other } of sides) {
    const byBox = new Map<Node | undefined, Chain[]>();
    for (const each of chains) byBox.set(box(each.chain), [...(byBox.get(box(each.chain)) ?? []), each]);
    for (const [node, found] of byBox) {
      found.sort((a, b) => (other(a.chain)?.x ?? 0) - (other(b.chain)?.x ?? 0));
      const step = Math.min(40, ((node?.width ?? 0) * 0.7) / found.length);
      for (const [at, { line }] of found.entries()) ports.set(`${line.index} ${name}`, (at - (found.length - 1) / 2) * step);
    }
  }
  return ports;
}

/** The largest first, in rows that make a page rather than a strip. */
function packed(parts: readonly Part[], lines: number): Layout {
  const area = parts.reduce((sum, each) => sum + (each.width + gap.part) * (each.height + gap.part), 0);
  const wanted = Math.max(Math.sqrt(area * 1.8), ...parts.map((each) => each.width));
  const places = new Map<string, Point>();
  const routes: (readonly Point[])[] = Array.from({ length: lines }, () => []);
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const part of [...parts].sort((a, b) => b.height * b.width - a.height * a.width)) {
    if (x > 0 && x + part.width > wanted) [x, y, rowHeight] = [0, y + rowHeight + gap.part, 0];
    const moved = (point: Point): Point => ({ x: point.x + x + gap.margin, y: point.y + y + gap.margin });
    for (const [id, place] of part.places) places.set(id, moved(place));
    for (const [index, points] of part.routes) routes[index] = points.map(moved);
    width = Math.max(width, x + part.width);
    rowHeight = Math.max(rowHeight, part.height);
    x += part.width + gap.part;
  }
  return { width: width + 2 * gap.margin, height: y + rowHeight + 2 * gap.margin, places, routes };
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, each) => sum + each, 0) / values.length;
}
