// Scenarios of pattern forms as data: what stands in the body of one event, what is posted to it, and what must come back.

import { describe, expect, test } from 'vitest';
import { unlikeDescribed } from '../../http/openapi-client.ts';
import { type Project, serve } from '../../support/app.ts';
import { isLarge, isOnServer, sampled } from '../../support/form.ts';
import { askFor, check, fits, type Step } from '../../support/table.ts';

export interface FormRow {
  /** A sentence: what the form means. */
  readonly title: string;
  /** The statements of workflow or dataflow `ev`. */
  readonly body: string;
  /** The attributes of the event; none without it. */
  readonly given?: object;
  /** What it is answered with, 200 unless it says otherwise. */
  readonly answers: Omit<Step, 'ask' | 'body' | 'status'> & { readonly status?: number };
  /** What is asked afterwards. */
  readonly after?: readonly Step[];
  /** Declarations besides those of the table. */
  readonly also?: string;
  /** Further files of the project. */
  readonly files?: Readonly<Record<string, string>>;
}

export type FormTables = Readonly<Record<string, readonly FormRow[]>>;

export interface Syntax {
  readonly surface: 'current' | 'earlier';
  /** The project of a row. */
  project(row: FormRow): Project;
  /** How the event is posted. */
  post(given: object): Pick<Step, 'ask' | 'body'>;
}

/** One application for each row: what one does, no other sees. */
export function runForms(tables: FormTables, { surface, project, post }: Syntax): void {
  for (const [group, rows] of Object.entries(tables)) {
    describe(group, () => {
      // The document takes longer than the answer: it is asked for some.
      const described = new Set(isOnServer && !isLarge ? [] : sampled(rows, 16));
      for (const row of rows) {
        test(row.title, async () => {
          const served = await serve(project(row), { surfaces: [surface] });
          const step: Step = { ...post(row.given ?? {}), status: 200, ...row.answers };
          const answer = await askFor(served, step);
          fits(step, answer);
          // Of an answer that the model makes up itself, the document knows nothing; it is the same for every store.
          const isOwn = answer.status > 200 && answer.status < 400;
          if (!isOwn && described.has(row))
            expect(await unlikeDescribed(served.app, step.ask.slice('POST '.length), answer), answer.text).toEqual([]);
          await check(served, row.after ?? []);
        });
      }
    });
  }
}
