// Whatever a model becomes: a migration is refused and changes nothing, or it is done and undo gives back every answer.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StartRefused } from '../../src/store/store.ts';
import { open } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { type Database, database } from './evolve.ts';

const types = ['String', 'Int', 'Decimal', 'Float', 'Boolean', 'String[]', 'Any', 'Date', 'Email', '@enum("a", "b")'] as const;
const marks = ['@optional', '@optional @unique', '@optional @indexed', '@default(1)', ''] as const;

interface Shape {
  readonly attributes: readonly { readonly name: string; readonly type: (typeof types)[number]; readonly mark: (typeof marks)[number] }[];
  readonly name: 'E' | 'F';
  readonly relationship: 'contains' | 'between' | 'none';
}

const shape = fc.record<Shape>({
  attributes: fc.uniqueArray(
    fc.record({ name: fc.constantFrom('a', 'b', 'c'), type: fc.constantFrom(...types), mark: fc.constantFrom(...marks) }),
    {
      selector: (each) => each.name,
      maxLength: 3,
    },
  ),
  name: fc.constantFrom('E', 'F'),
  relationship: fc.constantFrom('contains', 'between', 'none'),
});

const values = fc.array(
  fc.record({ a: fc.constantFrom('1', 'x', 'a', true, 7, 1.5), b: fc.constantFrom('2', 'b', 3), c: fc.constantFrom('3', ['u']) }),
  { maxLength: 4 },
);

/** Numbers as defaults suit only some types: the rest do without. */
function textOf({ attributes, name, relationship }: Shape, former: string | undefined): string {
  const lines = attributes.map((each) => {
    const mark = each.mark === '@default(1)' && !['Int', 'Float', 'Decimal'].includes(each.type) ? '@optional' : each.mark;
    return `${each.name} ${each.type} ${each.type === 'Any' || each.type === 'String[]' ? mark.replace(/@unique|@indexed/, '') : mark}`;
  });
  const was = former === undefined || former === name ? [] : [`@was("${former}")`];
  const tie = relationship === 'none' ? '' : `relationship R ${relationship}(${name}, K)`;
  return `module m\nentity ${name} { ${[...was, 'id Int @id', ...lines].join(', ')} }\nentity K { id Int @id }\n${tie}\n`;
}

test('every change of a model is refused without a trace, or done and undone without a loss', async () => {
  const numRuns = counted({ long: 500, short: 17, postgres: 5 });
  await fc.assert(
    fc.asyncProperty(shape, fc.array(shape, { minLength: 1, maxLength: 3 }), values, async (start, changes, rows) => {
      const data = database();
      await fill(data, textOf(start, undefined), start, rows);
      // What was answered before each migration that was done, the last one last.
      const done: { readonly text: string; readonly model: Shape; readonly told: readonly unknown[] }[] = [];
      let now = { text: textOf(start, undefined), model: start };
      for (const model of changes) {
        const told = await answers(data, now.text, now.model);
        const text = textOf(model, now.model.name);
        const outcome = await data.apply(text).catch((thrown: unknown) => thrown);
        if (Array.isArray(outcome)) {
          if (outcome.length > 0) done.push({ ...now, told });
          now = { text, model };
          await data.serve(text, []);
        } else {
          expect(outcome).toBeInstanceOf(StartRefused);
          expect(await answers(data, now.text, now.model)).toEqual(told);
        }
      }
      for (const { text, model, told } of done.reverse()) {
        const undone = await data.undo().catch((thrown: unknown) => thrown);
        // A default that instances got need not fit the type that is back: that is told, and nothing is changed.
        if (undone instanceof StartRefused && filledIn([start, ...changes]).size > 0) return;
        expect(undone).toEqual(expect.any(Array));
        expect(sameFor(await answers(data, text, model), [start, ...changes])).toEqual(sameFor(told, [start, ...changes]));
      }
    }),
    { numRuns },
  );
});

/** An instance that had no value and got the default keeps it: nobody can tell it from one that was sent. */
function sameFor(told: readonly unknown[], models: readonly Shape[]): unknown {
  const filled = new Set(
    models.flatMap((model) => model.attributes.filter((each) => each.mark === '@default(1)').map((each) => each.name)),
  );
  const isDefault = (value: unknown): boolean => value === null || value === 1 || value === '1' || JSON.stringify(value) === '["1"]';
  return JSON.parse(JSON.stringify(told), (key, value: unknown) =>
    filled.has(key) && isDefault(value) ? 'absent, or the default' : value,
  );
}

function filledIn(models: readonly Shape[]): ReadonlySet<string> {
  return new Set(models.flatMap((model) => model.attributes.filter((each) => each.mark === '@default(1)').map((each) => each.name)));
}

/** As many of the instances as fit their model, each with a child or a link. */
async function fill(data: Database, text: string, { name, attributes, relationship }: Shape, rows: readonly object[]): Promise<void> {
  const served = await open(text, { folder: data.folder });
  for (const [id, row] of rows.entries()) {
    const own = Object.fromEntries(Object.entries(row).filter(([key]) => attributes.some((each) => each.name === key)));
    const tied = relationship === 'none' ? {} : { R: [{ id: id + 10 }] };
    const created = await served.post(`/m/${name}`, { id, ...own, ...tied });
    if (created.status === 422) await served.post(`/m/${name}`, { id, ...tied });
  }
  await served.close();
}

async function answers(data: Database, text: string, { name, relationship }: Shape): Promise<readonly unknown[]> {
  const served = await open(text, { folder: data.folder });
  const found: unknown[] = [(await served.get(`/m/${name}`)).body, (await served.get('/m/K')).body];
  for (const id of relationship === 'none' ? [] : [0, 1, 2, 3]) found.push((await served.get(`/m/${name}/${id}/R/K`)).body);
  expect(served.failures).toEqual([]);
  await served.close();
  return found;
}
