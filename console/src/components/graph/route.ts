// A line through points as the path of a curve.

import type { Point } from './layout.ts';

export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  // From a box to itself: a loop at its right side.
  const [last] = rest;
  if (rest.length === 1 && last !== undefined && last.x === first.x && Math.abs(last.y - first.y) < 60)
    return `M${first.x} ${first.y}C${first.x + 44} ${first.y} ${last.x + 44} ${last.y} ${last.x} ${last.y}`;
  let from = first;
  const parts = rest.map((to) => {
    const middle = (from.y + to.y) / 2;
    const part = from.x === to.x ? `L${to.x} ${to.y}` : `C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
    from = to;
    return part;
  });
  return `M${first.x} ${first.y}${parts.join('')}`;
}

/** Where its name stands: in the middle of its longest piece. */
export function middleOf(points: readonly Point[]): Point {
  const pieces = points.slice(1).map((to, at) => ({ from: points[at] ?? to, to }));
  const length = ({ from, to }: (typeof pieces)[number]): number => Math.hypot(to.x - from.x, to.y - from.y);
  const [longest] = [...pieces].sort((a, b) => length(b) - length(a));
  if (longest === undefined) return points[0] ?? { x: 0, y: 0 };
  return { x: (longest.from.x + longest.to.x) / 2, y: (longest.from.y + longest.to.y) / 2 };
}
