// A model that changes over filled tables: started, refused or applied, served, undone. Each step on the store of the run.

import { expect } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { convertUnit } from '../../src/language/convert.ts';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { compile } from '../../src/plan/compile.ts';
import type { Table } from '../../src/plan/rows/table.ts';
import { applyMigration, undoMigration } from '../../src/store/migration/migration.ts';
import { openStore } from '../../src/store/open.ts';
import type { SchemaSession } from '../../src/store/sql/ddl.ts';
import { StartRefused } from '../../src/store/store.ts';
import { modelOf, open, type Project } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { storeIn, storeOfRun } from '../support/store.ts';
import { check, type Step } from '../support/table.ts';

export type SurfaceName = 'current' | 'earlier';

/** What a store does with a model does not depend on how that was written: one of them is enough on the slower store. */
export const surfaces: readonly SurfaceName[] = storeOfRun() === 'postgres' ? ['current'] : ['current', 'earlier'];

/** A model of the current surface, as a project of either. */
export function inSurface(text: string, surface: SurfaceName): Project {
  if (surface === 'current') return text;
  const { text: earlier, missing } = convertUnit(currentFrontEnd.read({ file: 'core.al', text }).unit, 'earlier');
  expect(missing).toEqual([]);
  return { 'core.platform': earlier };
}

export function tablesOf(project: Project): readonly Table[] {
  return compile(modelOf(project)).tables;
}

export interface Database {
  readonly folder: string;
  /** Alone with the tables, while nothing is served. */
  schema<T>(work: (session: SchemaSession) => Promise<T>): Promise<T>;
  /** Serves a model, which must start, and asks it. */
  serve(project: Project, steps: readonly Step[]): Promise<void>;
  /** The line with which a start is refused. */
  refusal(project: Project): Promise<string>;
  apply(project: Project): Promise<readonly string[]>;
  undo(): Promise<readonly string[]>;
}

export function database(): Database {
  const folder = folderForTest();
  const schema = async <T>(work: (session: SchemaSession) => Promise<T>): Promise<T> => {
    const { settings } = await storeIn(folder, storeOfRun(), true);
    const store = openStore(settings, systemClock());
    return store.schema(work).finally(() => store.close());
  };
  return {
    folder,
    schema,
    async serve(project, steps) {
      const served = await open(project, { folder });
      try {
        await check(served, steps);
        expect(await served.kept.dangling()).toEqual([]);
      } finally {
        await served.close();
      }
    },
    async refusal(project) {
      const thrown = await open(project, { folder }).then(
        (served) => served.close(),
        (each: unknown) => each,
      );
      expect(thrown).toBeInstanceOf(StartRefused);
      return thrown instanceof Error ? thrown.message : '';
    },
    apply: (project) => schema((session) => applyMigration(session, tablesOf(project), { version: '1.0.0' })),
    undo: () => schema((session) => undoMigration(session, { version: '1.0.0' })),
  };
}
