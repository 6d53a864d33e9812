// Finds the cycles of a directed graph.

/**
 * The nodes that lie on a cycle, each with a number that those of its cycle share. Tarjan's strongly connected components, with a stack
 * of its own instead of recursion: a chain of any length is no danger.
 */
export function cyclesOf(nodes: Iterable<string>, next: (node: string) => readonly string[]): ReadonlyMap<string, number> {
  const search: Search = { next, order: new Map(), low: new Map(), open: [], isOpen: new Set(), found: new Map() };
  for (const node of nodes) if (!search.order.has(node)) searchFrom(node, search);
  return search.found;
}

interface Search {
  next(node: string): readonly string[];
  readonly order: Map<string, number>;
  readonly low: Map<string, number>;
  readonly open: string[];
  readonly isOpen: Set<string>;
  readonly found: Map<string, number>;
}

interface Visit {
  readonly node: string;
  readonly followers: readonly string[];
  at: number;
}

function searchFrom(start: string, search: Search): void {
  const visits = [enter(start, search)];
  for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
    const follower = visit.followers[visit.at];
    visit.at += 1;
    if (follower === undefined) {
      leave(visit, search);
      visits.pop();
      const above = visits.at(-1);
      if (above !== undefined) lower(above.node, search.low.get(visit.node), search);
    } else if (!search.order.has(follower)) {
      visits.push(enter(follower, search));
    } else if (search.isOpen.has(follower)) {
      lower(visit.node, search.order.get(follower), search);
    }
  }
}

function enter(node: string, search: Search): Visit {
  search.order.set(node, search.order.size);
  search.low.set(node, search.order.size - 1);
  search.open.push(node);
  search.isOpen.add(node);
  return { node, followers: search.next(node), at: 0 };
}

function lower(node: string, to: number | undefined, { low }: Search): void {
  if (to !== undefined && to < (low.get(node) ?? 0)) low.set(node, to);
}

/** Closes the component of which this node was the first to be seen. */
function leave({ node, followers }: Visit, { order, low, open, isOpen, found }: Search): void {
  const number = order.get(node) ?? 0;
  if (low.get(node) !== number) return;
  const members = open.splice(open.lastIndexOf(node));
  for (const each of members) isOpen.delete(each);
  if (members.length > 1 || followers.includes(node)) for (const each of members) found.set(each, number);
}
