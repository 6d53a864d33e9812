// `platform access matrix` and `check`: who may do what by the model, and what of it differs from what was written down.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { accessMatrix, type MatrixEntry, type MatrixLine, matrixLines, operationsOf } from '../../access/matrix.ts';
import { StartRefused } from '../../store/store.ts';
import { counted } from '../report.ts';
import type { Terminal } from '../terminal.ts';
import { type OfProject, readGuarded } from './project.ts';

export async function matrix(path: string, options: OfProject & { readonly json?: boolean }, terminal: Terminal): Promise<number> {
  const entries = await entriesOf(path, options, terminal);
  if (entries === undefined) return 1;
  terminal.out(options.json === true ? jsonOf(entries).join('\n') : tableOf(entries).join('\n'));
  return 0;
}

export async function check(path: string, options: OfProject & { readonly against: string }, terminal: Terminal): Promise<number> {
  const entries = await entriesOf(path, options, terminal);
  if (entries === undefined) return 1;
  const { against } = options;
  const text = readText(resolve(terminal.folder, against), against);
  const isJson = /^\s*\[/.test(text);
  const is = new Set((isJson ? jsonOf(entries) : tableOf(entries)).map(lineText).filter(isRight));
  const was = new Set(text.split('\n').map(lineText).filter(isRight));
  const lost = [...was].filter((each) => !is.has(each));
  const gained = [...is].filter((each) => !was.has(each));
  if (lost.length + gained.length === 0) {
    terminal.out(`the rights are those of ${against}`);
    return 0;
  }
  const { red, green } = terminal.colours;
  for (const [line, isNew] of merged(lost, gained)) terminal.out(isNew ? green(`+ ${line}`) : red(`- ${line}`));
  const anew = `platform access matrix${isJson ? ' --json' : ''} > ${against}`;
  terminal.err(
    `platform: the rights are not those of ${against}: ${counted(lost.length, 'line')} less, ${counted(gained.length, 'line')} more. Where that is meant: ${anew}`,
  );
  return 1;
}

async function entriesOf(path: string, options: OfProject, terminal: Terminal): Promise<readonly MatrixEntry[] | undefined> {
  const guarded = await readGuarded(path, options, terminal);
  return guarded && accessMatrix(guarded.plan, guarded.access);
}

/** One right on each line, so that a difference of two versions is one of rights. */
function jsonOf(entries: readonly MatrixEntry[]): readonly string[] {
  const last = entries.length - 1;
  return ['[', ...entries.map((each, index) => `  ${JSON.stringify(each)}${index === last ? '' : ','}`), ']'];
}

/** Each line says of which type it is, and so stands for itself. */
function tableOf(entries: readonly MatrixEntry[]): readonly string[] {
  const lines = matrixLines(entries);
  const whoOf = ({ who, where, as }: MatrixLine): string =>
    `${who}${where === undefined ? '' : ` where ${where}`}${as === undefined ? '' : `, as the ${as}`}`;
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((each) => each.length));
  const [types, holders] = [widest(lines.map(({ type }) => type)), widest(lines.map(whoOf))];
  return lines.map((line) => {
    const cells = operationsOf[line.kind].map((each) => (line.operations.includes(each) ? each : '-').padEnd(each.length));
    return `${line.type.padEnd(types)}  ${whoOf(line).padEnd(holders)}  ${cells.join('  ')}`.trimEnd();
  });
}

/** Without what only lays it out. */
function lineText(line: string): string {
  return line.trim().replace(/,$/, '').replace(/\s+/g, ' ');
}

function isRight(line: string): boolean {
  return line !== '' && line !== '[' && line !== ']';
}

/** In the order of their texts, what is gone before what has come. */
function merged(lost: readonly string[], gained: readonly string[]): readonly (readonly [line: string, isNew: boolean])[] {
  const all = [...lost.map((line) => [line, false] as const), ...gained.map((line) => [line, true] as const)];
  return all.toSorted(([a, isNewA], [b, isNewB]) => (a === b ? Number(isNewA) - Number(isNewB) : a < b ? -1 : 1));
}

function readText(file: string, shown: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw new StartRefused(`${shown} cannot be read. platform access matrix --json > ${shown} writes it.`, thrown);
  }
}
