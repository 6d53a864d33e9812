// What the console computes before it draws: where boxes stand, the pieces of a source, the steps of a trace, the breaks of a text.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { typedInto } from '../../console/src/components/form/line-breaks.ts';
import { layoutOf } from '../../console/src/components/graph/layout.ts';
import { tracedSteps } from '../../console/src/pages/events/trace.ts';
import { linesOf } from '../../console/src/pages/model/highlight.ts';

const graphs = fc.integer({ min: 1, max: 14 }).chain((count) => {
  const name = fc.integer({ min: 0, max: count - 1 }).map(String);
  const size = fc.record({ width: fc.integer({ min: 20, max: 300 }), height: fc.integer({ min: 20, max: 200 }) });
  return fc.record({
    boxes: fc.array(size, { minLength: count, maxLength: count }).map((sizes) => sizes.map((each, at) => ({ id: String(at), ...each }))),
    lines: fc.array(fc.record({ from: name, to: name }), { maxLength: 25 }),
  });
});

test('boxes of a drawing never lie on each other, and every line leads from its box to its box, also in circles', () => {
  fc.assert(
    fc.property(graphs, ({ boxes, lines }) => {
      const { places, routes, width, height } = layoutOf(boxes, lines);
      const placed = boxes.map((box) => ({ ...box, ...(places.get(box.id) ?? { x: Number.NaN, y: Number.NaN }) }));
      for (const [at, a] of placed.entries()) {
        expect(a.x >= 0 && a.y >= 0 && a.x + a.width <= width && a.y + a.height <= height).toBe(true);
        for (const b of placed.slice(at + 1))
          expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(true);
      }
      const touches = (id: string, point: { x: number; y: number } | undefined): boolean =>
        placed.some(
          (box) =>
            box.id === id &&
            point !== undefined &&
            point.x >= box.x &&
            point.x <= box.x + box.width &&
            point.y >= box.y &&
            point.y <= box.y + box.height,
        );
      for (const [at, { from, to }] of lines.entries()) {
        expect(touches(from, routes[at]?.[0])).toBe(true);
        expect(touches(to, routes[at]?.at(-1))).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

test('whatever stands in a source, every character of it is shown, line by line', () => {
  const letters = fc.constantFrom('"', '`', '/', '*', ';', '\n', '\r\n', '\\', '@', ':', '(', 'entity', 'A', '1', ' ', '<b>', '\u202e');
  const texts = fc.array(fc.oneof(letters, fc.string())).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, fc.constantFrom('a.al', 'a.platform'), (text, file) => {
      const lines = linesOf(file, text).map((pieces) => pieces.map((each) => each.text).join(''));
      expect(lines).toEqual(text.split(/\r?\n/));
    }),
  );
  expect(linesOf('a.al', '// a\r\n1\r\n').map((pieces) => pieces.map((each) => each.text))).toEqual([['// a'], ['1'], []]);
  expect(
    linesOf('a.al', 'entity A { // a "b"')
      .flat()
      .map((each) => each.kind),
  ).toEqual(['word', 'plain', 'type', 'plain', 'comment']);
});

test('the steps of a trace stand in the order in which they began, those that hold others before them', () => {
  const steps = tracedSteps('find-5;dur=2;start=1, create-6;dur=1;start=3, for-4;dur=5;start=0, other, find-9;dur=1;start=7');
  expect(steps.map(({ kind, line, start, milliseconds }) => [kind, line, start, milliseconds])).toEqual([
    ['for', 4, 0, 5],
    ['find', 5, 1, 2],
    ['create', 6, 3, 1],
    ['find', 9, 7, 1],
  ]);
  expect(tracedSteps(null)).toEqual([]);
});

test('breaks of a text that come to stand side by side stay two, and others stay as they were', () => {
  expect(typedInto('a\rX\nb', 'a\n\nb')).toBe('a\n\nb');
  expect(typedInto('a\rb\n', 'a\n\nb\n')).toBe('a\n\nb\n');
  expect(typedInto('a\r\nX\r\nb', 'a\n\nb')).toBe('a\r\n\r\nb');
  expect(typedInto('a\rb\nc', 'a\nb!\nc')).toBe('a\rb!\nc');
});
