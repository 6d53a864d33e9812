// Whether the tables are still those that this process serves: another one may have migrated them to a newer model.

import { error, type PlatformError } from '../../errors.ts';
import type { Table } from '../../plan/rows/table.ts';
import { misfits } from '../migration/diff/fit.ts';
import { isContained } from '../migration/diff/schema.ts';
import { digestOf, state, storedTables } from '../migration/state.ts';
import { quote } from '../sql/names.ts';
import type { Command } from './exchange.ts';
import type { Ask } from './listener.ts';

export interface ModelCheckOptions {
  readonly tables: readonly Table[];
  /** Whether statements are prepared under names. */
  readonly named: boolean;
  /** One line for the operator. */
  notice(line: string): void;
}

export class ModelCheck {
  readonly #options: ModelCheckOptions;
  readonly #isGuarded: boolean;
  /** Grows with the migrations, so that what was asked earlier and answered later is not believed. */
  #number = 0;
  #digest: string;
  #misfits: readonly string[] = [];
  #guard: readonly Command[];

  constructor(options: ModelCheckOptions) {
    this.#options = options;
    this.#digest = digestOf(options.tables);
    this.#isGuarded = options.tables.some(isContained);
    this.#guard = this.#guarding();
  }

  /**
   * What goes before the first statement of a write: keys are made by the process, and those of an older model must not get among the new ones,
   * also not in the moment before it hears of the migration. Nothing where the model has no such keys.
   */
  get guard(): readonly Command[] {
    return this.#guard;
  }

  get holds(): boolean {
    return this.#misfits.length === 0;
  }

  /** Why nothing is read or written for now. */
  refusal(): PlatformError {
    return error('model-outdated', { retryAfter });
  }

  /** What was only added to is served as before; what is called otherwise, keyed otherwise, or retired, cannot be. */
  async look(ask: Ask): Promise<void> {
    const [[digest, number, tables] = []] = await ask(current, [this.#digest]);
    if (typeof digest !== 'string' || typeof tables !== 'string' || Number(number) < this.#number) return;
    this.#number = Number(number);
    this.#digest = digest;
    this.#guard = this.#guarding();
    const before = this.holds;
    this.#misfits = misfits(this.#options.tables, storedTables(tables));
    if (before !== this.holds) this.#options.notice(this.holds ? fitsAgain : outdated(this.#misfits));
  }

  #guarding(): readonly Command[] {
    if (!this.#isGuarded) return [];
    const [hold, fit] = this.#options.named ? ['writers hold', 'writers fit'] : ['', ''];
    return [
      { sql: writersHold, name: hold, values: [] },
      { sql: writersFit, name: fit, values: [this.#digest] },
    ];
  }
}

/** What `writersFit` fails with where the tables are others than those that were looked at last. */
export const unfit = '22012';

/** A migration that changes keys waits for everybody who holds it, and lets nobody hold it until it has ended. It takes no snapshot. */
const writersHold = `LOCK TABLE ${quote(state.name)} IN ROW SHARE MODE`;
const writersFit = `SELECT 1 / count(*) FROM ${quote(state.name)} WHERE "key" = 'digest' AND "value" = $1`;

/** The tables only where they are not those of the digest that is known. */
const current = `SELECT d."value", (SELECT max("number") FROM "__platform_history"),
  (SELECT t."value" FROM ${quote(state.name)} AS t WHERE t."key" = 'tables' AND d."value" <> $1)
  FROM ${quote(state.name)} AS d WHERE d."key" = 'digest'`;

/** Seconds; by then another instance may have taken its place. */
const retryAfter = 5;

const fitsAgain = 'The tables fit the model of this process again; it serves.';

function outdated(tables: readonly string[]): string {
  const some = tables.slice(0, 3).join(', ');
  const names = tables.length > 3 ? `${some} and ${tables.length - 3} more` : some;
  const answer = 'it answers 503 until the migration is undone, or it is replaced by one of the new model';
  return `The tables were migrated to a model that this process does not serve (${names}); ${answer}.`;
}
