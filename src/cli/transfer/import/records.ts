// The records of a file of an import, one after the other with their lines, in bounded memory.

import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { PlatformError } from '../../../errors.ts';
import { columnKind } from '../../../model/model.ts';
import type { AttributePlan, EntityPlan, LinkPlan } from '../../../plan/plan.ts';
import { isObject } from '../../../plan/rows/attribute.ts';
import { pathColumn, versionColumn } from '../../../plan/rows/tables.ts';
import { parseJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import { type CsvRecord, isOpen, parseCsv } from '../csv.ts';
import { lineLimits, longestLine } from '../files.ts';

type Planned = EntityPlan | LinkPlan;

export interface ImportRecord {
  /** From 1. */
  readonly line: number;
  readonly content: { readonly plan: Planned; readonly body: Value } | { readonly fault: string };
}

export interface ImportFile {
  readonly file: string;
  /** What its records are; of lines of JSON each says so itself where this is absent. */
  readonly plan: Planned | undefined;
}

/** `planOf` finds what a record says that it is. */
export async function* recordsOf({ file, plan }: ImportFile, planOf: (type: string) => Planned | undefined): AsyncGenerator<ImportRecord> {
  if (file.endsWith('.csv')) {
    if (plan === undefined) throw new Error(`${file} does not say what it holds`);
    yield* csvRecords(file, plan);
  } else {
    for await (const { line, text } of linesOf(file)) {
      if (text === undefined) yield { line, content: notUtf8 };
      else if (text.trim() !== '') yield { line, content: jsonContent(text, plan, planOf) };
    }
  }
}

const notUtf8 = { fault: 'it is not UTF-8' } as const;

function jsonContent(text: string, plan: Planned | undefined, planOf: (type: string) => Planned | undefined): ImportRecord['content'] {
  const read = parsed(text);
  if ('fault' in read) return read;
  if (!isObject(read.value)) return { fault: 'it is not an object' };
  const { __type: type, ...body } = read.value;
  if (type !== undefined && typeof type !== 'string') return { fault: '__type must be a text' };
  const named = typeof type === 'string' ? planOf(type) : plan;
  if (typeof type === 'string' && named === undefined) return { fault: `the model has no entity or link ${type}` };
  return named === undefined ? { fault: 'it has no __type, and no --entity is given' } : { plan: named, body };
}

function parsed(text: string): { readonly value: Value } | { readonly fault: string } {
  try {
    return { value: parseJson(text, lineLimits) };
  } catch (thrown) {
    if (thrown instanceof PlatformError) return { fault: thrown.message };
    throw thrown;
  }
}

async function* csvRecords(file: string, plan: Planned): AsyncGenerator<ImportRecord> {
  let names: CsvRecord | undefined;
  for await (const { line, text } of csvTexts(file)) {
    const fields = typeof text === 'string' ? parseCsv(text) : text;
    if ('fault' in fields) yield { line, content: fields };
    else if (names === undefined) names = fields;
    else yield { line, content: csvContent(names, fields, plan) };
  }
}

/** A record goes on over lines while a quote is open; line breaks inside it are as they were. */
async function* csvTexts(file: string): AsyncGenerator<{ readonly line: number; readonly text: string | { readonly fault: string } }> {
  let open: { readonly line: number; readonly texts: string[]; size: number } | undefined;
  for await (const { line, text } of linesOf(file)) {
    if (text === undefined) {
      yield { line: open?.line ?? line, text: notUtf8 };
      open = undefined;
      continue;
    }
    const goesOn = isOpen(text) !== (open !== undefined);
    open ??= { line, texts: [], size: 0 };
    open.texts.push(text);
    open.size += text.length;
    if (open.size > longestLine) throw tooLong(file, open.line);
    if (goesOn) continue;
    const whole = open.texts.join('\n').replace(/\r$/, '');
    if (whole !== '') yield { line: open.line, text: whole };
    open = undefined;
  }
  if (open !== undefined) yield { line: open.line, text: { fault: 'a quoted field is not closed' } };
}

function csvContent(names: CsvRecord, fields: CsvRecord, plan: Planned): ImportRecord['content'] {
  if (fields.length !== names.length) return { fault: `it has ${fields.length} fields, and the first line ${names.length}` };
  const entries: (readonly [string, Value])[] = [];
  for (const [index, name] of names.entries()) {
    const read = csvValue(name ?? '', fields[index] ?? null, plan);
    if ('fault' in read) return { fault: `${name ?? ''} ${read.fault}` };
    entries.push([name ?? '', read.value]);
  }
  return { plan, body: Object.fromEntries(entries) };
}

function csvValue(name: string, field: string | null, plan: Planned): { readonly value: Value } | { readonly fault: string } {
  if (field === null) return { value: null };
  if (name === versionColumn) return { value: Number(field) };
  if (name === '__detached') return { value: field === 'true' };
  if (name === pathColumn) return { value: field };
  const end = plan.kind === 'link' ? plan.ends.find((each) => each.attribute === name) : undefined;
  if (end !== undefined) return field.startsWith('path://') ? { value: field } : typed(end.guid ?? end.entity.identifier, field);
  const attribute = plan.attribute.get(name);
  // What is not known is told by the engine.
  return attribute === undefined ? { value: field } : typed(attribute, field);
}

function typed(plan: AttributePlan, field: string): { readonly value: Value } | { readonly fault: string } {
  switch (columnKind(plan.attribute)) {
    case 'integer':
    case 'real':
    case 'boolean':
    case 'json':
    case 'scalar': {
      const read = parsed(field);
      return 'fault' in read ? { fault: 'cannot be read' } : read;
    }
    default:
      return { value: field };
  }
}

/** Split at line feeds alone: JSON may hold every other line separator, and CSV a carriage return that belongs to a text. */
async function* linesOf(file: string): AsyncGenerator<{ readonly line: number; readonly text: string | undefined }> {
  let line = 0;
  let rest: Buffer[] = [];
  let size = 0;
  const whole = (): string | undefined => {
    const bytes = Buffer.concat(rest);
    [rest, size] = [[], 0];
    line += 1;
    // What is in another encoding would come in with other letters, and nobody would notice.
    if (!isUtf8(bytes)) return undefined;
    return line === 1 ? bytes.toString('utf8').replace(/^\ufeff/, '') : bytes.toString('utf8');
  };
  for await (const chunk of createReadStream(file)) {
    if (!Buffer.isBuffer(chunk)) continue;
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      rest.push(chunk.subarray(from, at));
      from = at + 1;
      const text = whole();
      yield { line, text };
    }
    rest.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > longestLine) throw tooLong(file, line + 1);
  }
  if (rest.some((each) => each.length > 0)) {
    const text = whole();
    yield { line, text };
  }
}

function tooLong(file: string, line: number): Error {
  return Object.assign(new Error(`${file}:${line}: the line is longer than 64 MB`), { code: 'ELINE' });
}
