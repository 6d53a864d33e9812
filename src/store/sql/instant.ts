// Dates and times as stores compare and sort them: by moment, however many digits or whether a zone was sent; what is kept is the text that was sent.

import { momentKey } from '../../model/types/time/calendar.ts';
import type { Table } from '../../plan/rows/table.ts';
import { isMomentKind } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';
import type { Index } from './ddl.ts';

/** The same as `momentKey`, in SQL: every store knows it, and takes it for an index. */
export function momentOf(quotedColumn: string): string {
  return `rtrim(${quotedColumn}, '.0Z')`;
}

export function encodeMoment(value: Value): unknown {
  return typeof value === 'string' ? momentKey(value) : value;
}

/** What a unique index of the model is made of: foreign keys need one on the columns themselves, and one moment can be written in several ways. */
export function indexesFor(table: Table, index: Index): readonly Index[] {
  const hasMoment = table.columns.some((each) => index.columns.includes(each.name) && isMomentKind(each.kind));
  return index.unique && hasMoment ? [index, { ...index, moment: true }] : [index];
}
