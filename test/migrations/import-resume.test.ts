// An import that is cut off, at whatever moment, goes on so that every line is added exactly once: also lines that no identifier tells apart.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claimImport } from '../../src/cli/transfer/import/claim.ts';
import { type Ledger, openLedger } from '../../src/cli/transfer/import/ledger.ts';
import { runImport } from '../../src/cli/transfer/import/run.ts';
import { systemClock } from '../../src/clock.ts';
import { noRecorder } from '../../src/engine/engine.ts';
import { noFunctions } from '../../src/engine/eval/functions.ts';
import { type RestoreParts, restore } from '../../src/engine/restore/restore.ts';
import { restoreTogether } from '../../src/engine/restore/together.ts';
import { compile } from '../../src/plan/compile.ts';
import { hashSecret } from '../../src/secrets.ts';
import { openStore } from '../../src/store/open.ts';
import { StartRefused, type Store } from '../../src/store/store.ts';
import { modelOf } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { storeIn, storeOfRun } from '../support/store.ts';

const plan = compile(
  modelOf(`module m
entity Note { text String }
entity Count { no Int @id @autoincrement, text String }
entity Ref { id Int @id, to Int @ref(Ref.id) @optional }
`),
);

/** Notes, numbers that are counted up, and a chain in which everything points at a later line; some lines do not fit. */
const lines = Array.from({ length: 700 }, (_, index) => {
  if (index % 97 === 5) return '{"__type":"m/Note"}';
  if (index % 3 === 0) return JSON.stringify({ __type: 'm/Note', text: `n${index}` });
  if (index % 3 === 1) return JSON.stringify({ __type: 'm/Count', text: `c${index}` });
  return JSON.stringify({ __type: 'm/Ref', id: index, ...(index + 3 < 700 && (index + 3) % 97 !== 5 ? { to: index + 3 } : {}) });
});
const refused = lines.filter((_, index) => index % 97 === 5).length;

interface Place {
  readonly store: Store;
  readonly file: string;
  readonly folder: string;
}

async function place(): Promise<Place> {
  const folder = folderForTest();
  const { settings } = await storeIn(folder, storeOfRun(), true);
  const store = openStore(settings, systemClock());
  await store.migrate(plan.tables);
  const file = join(folder, 'in.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return { store, file, folder };
}

function partsOf(store: Store): RestoreParts {
  const limits = {
    memory: 16 * 1024 * 1024,
    tree: { instances: 10_000, depth: 10, bytes: 1_000_000 },
    flow: { time: 600, steps: 100_000 },
  };
  return { plan, store, clock: systemClock(), functions: noFunctions, hash: hashSecret, limits, recorder: noRecorder };
}

class CutOff extends Error {}

/** `fails` looks at each moment at which a process can end. */
async function importOnce({ store, file, folder }: Place, fails: (moment: string) => boolean): Promise<number> {
  const checkpoint = join(folder, 'in.jsonl.import.json');
  const claim = await claimImport(store, checkpoint, crypto.randomUUID());
  const at = (moment: string): void => {
    if (fails(moment)) throw new CutOff(moment);
  };
  at('claimed');
  const opened = openLedger({ checkpoint, target: 'here', files: [file] }, claim);
  const ledger: Ledger = {
    ...opened,
    async note(outcomes, tx) {
      at('before the commit');
      await opened.note(outcomes, tx);
      at('noted');
    },
    take(name, outcomes) {
      at('committed');
      opened.take(name, outcomes);
      at('taken');
    },
    save(name) {
      at('before the checkpoint');
      opened.save(name);
      at('saved');
    },
  };
  const parts = partsOf(store);
  const total = await runImport({
    files: [{ file, plan: undefined }],
    plan,
    strict: false,
    ledger,
    restore: (items, note) => restore(items, parts, note),
    restoreTogether: (items, note) => restoreTogether(items, parts, note),
    tell: () => {},
  });
  await claim.end();
  return total.refused;
}

/** Whether it is this moment for the so-manieth time. */
function timesOf(wanted: string, times: number): (moment: string) => boolean {
  let seen = 0;
  return (moment) => {
    if (moment !== wanted) return false;
    seen += 1;
    return seen === times;
  };
}

async function counts({ store }: Place): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of ['m/Note', 'm/Count', 'm/Ref']) {
    const rows = await store.schema(async ({ executor }) => executor.rows(`SELECT count(*) AS n FROM "${name}"`));
    found.push(Number(rows[0]?.['n']));
  }
  return found;
}

const expected = ['Note', 'Count', 'Ref'].map(
  (type) => lines.filter((each) => each.includes(`m/${type}"`) && each !== '{"__type":"m/Note"}').length,
);

test('an import that is cut off a dozen times, each time at another moment, adds every line once', async () => {
  const where = await place();
  let [moment, cuts] = [0, 0];
  for (;;) {
    try {
      const isCut = () => {
        moment += 1;
        return moment % 10 === 0 && cuts < 12;
      };
      expect(await importOnce(where, isCut)).toBe(refused);
      break;
    } catch (thrown) {
      if (!(thrown instanceof CutOff)) throw thrown;
      cuts += 1;
    }
  }
  expect(cuts).toBeGreaterThan(5);
  expect(await counts(where)).toEqual(expected);
  expect(await importOnce(where, () => false)).toBe(refused);
  expect(await counts(where)).toEqual(expected);
  await where.store.close();
});

const oftenEnough: ReadonlySet<string> = new Set(['before the commit', 'noted', 'committed', 'taken']);
for (const moment of ['claimed', 'before the commit', 'noted', 'committed', 'taken', 'before the checkpoint', 'saved']) {
  test(`an import that ends when it is ${moment} adds every line once when it goes on`, async () => {
    const where = await place();
    await expect(importOnce(where, timesOf(moment, oftenEnough.has(moment) ? 3 : 1))).rejects.toThrow(CutOff);
    expect(await importOnce(where, () => false)).toBe(refused);
    expect(await counts(where)).toEqual(expected);
    await where.store.close();
  });
}

test('of two imports with one checkpoint the later one goes on, and the former adds nothing more', async () => {
  const where = await place();
  const isSecond = timesOf('taken', 2);
  let other: Promise<number> | undefined;
  const former = importOnce(where, (moment) => {
    if (isSecond(moment)) other = importOnce(where, () => false);
    return false;
  });
  await expect(former).rejects.toThrow(StartRefused);
  expect(await other).toBe(refused);
  expect(await counts(where)).toEqual(expected);
  await where.store.close();
});

test('imports that begin at the same moment, the first on a database, all begin', async () => {
  const { store } = await place();
  const owners = Array.from({ length: 6 }, (_, index) => `owner ${index}`);
  const claims = await Promise.all(owners.map((each) => claimImport(store, each, each)));
  for (const each of claims) await each.end();
  expect(claims.map((each) => each.left)).toEqual(owners.map(() => ({})));
  await store.close();
});
