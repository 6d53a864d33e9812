// `platform export`: writes instances and links as lines of JSON or as CSV, one state of the data, also while the service runs.

import { once } from 'node:events';
import { createWriteStream, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { systemClock } from '../../clock.ts';
import { makeFolder } from '../../folders.ts';
import { columnKind } from '../../model/model.ts';
import { compile } from '../../plan/compile.ts';
import type { AttributePlan, EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { isDetached } from '../../plan/rows/keys.ts';
import { instanceFields, pagesOf, plansInOrder } from '../../plan/rows/transfer.ts';
import { rowsOf } from '../../store/all-rows.ts';
import { readSnapshot } from '../../store/snapshot.ts';
import { type Reader, type Row, StartRefused } from '../../store/store.ts';
import { parseJson, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { load } from '../load.ts';
import { counted, report, shownPath } from '../report.ts';
import type { Terminal } from '../terminal.ts';
import { csvLine } from './csv.ts';
import { type Format, fileOf, lineLimits, planNamed } from './files.ts';

export interface ExportOptions {
  readonly config?: string;
  readonly entity?: string;
  readonly format?: Format;
  /** A folder, a file, or `-` for standard output. */
  readonly out?: string;
  /** False leaves the hashes of secrets out. */
  readonly secrets?: boolean;
}

export async function exportData(path: string, options: ExportOptions, terminal: Terminal): Promise<number> {
  const { model, settings, diagnostics, sources } = await load({ path, config: options.config, keepsStoreId: false }, terminal);
  if (diagnostics.length > 0) terminal.err(report(diagnostics, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const plan = compile(model);
  // Entries of the audit trail are read where somebody asks for them, and put back by nobody.
  const all = plansInOrder(plan).filter((each) => !each.isAppendOnly);
  const chosen = options.entity === undefined ? all : [planNamed(plan, options.entity)];
  const format = options.format ?? (options.out?.endsWith('.csv') === true ? 'csv' : 'jsonl');
  const target = targetOf(options, format, terminal.folder);
  const counts = await readSnapshot({ settings: settings.store, clock: systemClock(), tables: plan.tables }, (reader) =>
    target.kind === 'folder'
      ? exportFolder(chosen, target.folder, format, options.secrets !== false, reader)
      : exportOne(chosen, target.kind === 'file' ? target.file : undefined, format, options.secrets !== false, reader),
  );
  const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const place = target.kind === 'output' ? '' : ` in ${shownPath(target.kind === 'file' ? target.file : target.folder, terminal.folder)}`;
  const lines = [...counts].map(([type, count]) => `${String(count).padStart(10)}  ${type}`);
  terminal.err([...lines, `${counted(total, 'instance')}${place}`].join('\n'));
  return 0;
}

type Target =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'output' };

/** One entity goes to standard output where nothing is said, all of them to the folder `export`. */
function targetOf({ entity, out }: ExportOptions, format: Format, folder: string): Target {
  const given = out ?? (entity === undefined ? 'export' : '-');
  const path = resolve(folder, given);
  const isFile = /\.(jsonl|csv)$/.test(given);
  if (format === 'csv' && entity === undefined && (given === '-' || isFile)) {
    throw new StartRefused('A CSV holds one entity: name it with --entity, or give a folder.');
  }
  if (given === '-') return { kind: 'output' };
  if (isFile) {
    if (existsSync(path)) throw new StartRefused(`${path} is already there; an export overwrites nothing.`);
    return { kind: 'file', file: path };
  }
  if (existsSync(path) && (!statSync(path).isDirectory() || readdirSync(path).length > 0)) {
    throw new StartRefused(`${path} is already there, and not an empty folder; an export overwrites nothing.`);
  }
  return { kind: 'folder', folder: path };
}

type Planned = EntityPlan | LinkPlan;

async function exportFolder(plans: readonly Planned[], folder: string, format: Format, secrets: boolean, reader: Reader) {
  const counts = new Map<string, number>();
  for (const plan of plans) {
    const [count = 0] = (await exportOne([plan], join(folder, fileOf(plan.type, format)), format, secrets, reader)).values();
    counts.set(plan.type, count);
  }
  return counts;
}

/** To a file, private to the user, which has its name when it is whole; or to standard output. */
async function exportOne(plans: readonly Planned[], file: string | undefined, format: Format, secrets: boolean, reader: Reader) {
  const counts = new Map<string, number>();
  if (file !== undefined) makeFolder(dirname(file), 0o700);
  const partial = file === undefined ? undefined : `${file}.${process.pid}.partial`;
  const stream = partial === undefined ? process.stdout : createWriteStream(partial, { mode: 0o600, flags: 'wx' });
  try {
    for (const plan of plans) counts.set(plan.type, await writeAll(plan, format, secrets, reader, stream));
    if (file === undefined || partial === undefined) return counts;
    stream.end();
    await finished(stream);
    renameSync(partial, file);
    return counts;
  } catch (thrown) {
    // Who wants the beginning alone (`| head`) stops reading early.
    if (file === undefined && thrown instanceof Error && 'code' in thrown && thrown.code === 'EPIPE') return counts;
    throw thrown;
  } finally {
    if (partial !== undefined) rmSync(partial, { force: true });
  }
}

async function writeAll(plan: Planned, format: Format, secrets: boolean, reader: Reader, stream: NodeJS.WritableStream): Promise<number> {
  const fields = instanceFields(plan, secrets);
  const names = [...fields.map((each) => each.name), ...(plan.kind === 'entity' && plan.contained ? ['__detached'] : [])];
  // A text of any type is told from what it might spell by its quotes.
  const isJson = jsonNames(plan);
  let count = 0;
  if (format === 'csv') await put(stream, `${csvLine(names)}\n`);
  for await (const rows of rowsOf(reader, pagesOf(plan.table, fields))) {
    await put(stream, rows.map((row) => `${format === 'csv' ? csvOf(row, names, isJson) : jsonOf(row, plan)}\n`).join(''));
    count += rows.length;
  }
  return count;
}

function jsonNames(plan: Planned): ReadonlySet<string> {
  const isJson = ({ attribute }: AttributePlan): boolean => ['json', 'scalar'].includes(columnKind(attribute));
  const ends = plan.kind === 'link' ? plan.ends.filter((each) => isJson(each.guid ?? each.entity.identifier)) : [];
  return new Set([...plan.attributes.filter(isJson).map((each) => each.name), ...ends.map((each) => each.attribute)]);
}

async function put(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

/** The row as the store made it, with its type in front. */
function jsonOf({ json, columns }: Row, { type }: Planned): string {
  const detached = isFreed(json, columns[0] ?? null) ? ',"__detached":true' : '';
  return `{"__type":${JSON.stringify(type)},${json.slice(1, -1)}${detached}}`;
}

function csvOf({ json, columns }: Row, names: readonly string[], isJson: ReadonlySet<string>): string {
  const values = parseJson(json, lineLimits);
  const found = isObject(values) ? values : {};
  const detached = isFreed(json, columns[0] ?? null) ? 'true' : null;
  return csvLine(names.map((name) => (name === '__detached' ? detached : textOf(found[name] ?? null, isJson.has(name)))));
}

/** A child that outlived its parent; what it contains has a path, and is found by that. */
function isFreed(json: string, key: Value): boolean {
  return isDetached(key) && /"__path__" ?: ?null, ?"__version" ?: ?\d+\}$/.test(json);
}

function textOf(value: Value, asJson: boolean): string | null {
  if (value === null) return null;
  return typeof value === 'string' && !asJson ? value : writeJson(value);
}
