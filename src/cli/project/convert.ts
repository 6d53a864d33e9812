// `platform convert`: writes a project in the other surface, and says what has no counterpart there.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { toCurrentConfig, toEarlierConfig } from '../../config/convert.ts';
import type { Project } from '../../config/project.ts';
import { relativeImports } from '../../functions/javascript/module-file.ts';
import { type Converted, convertUnit, type Missing } from '../../language/convert.ts';
import { formatSource as formatCurrent } from '../../language/current/print/format.ts';
import { readLocalUnit } from '../../language/earlier/lower/lower.ts';
import { formatSource as formatEarlier } from '../../language/earlier/print/format.ts';
import { keyword, textNode } from '../../language/earlier/print/node.ts';
import type { ImportDeclaration, Unit } from '../../model/declaration.ts';
import { positionOf } from '../../source.ts';
import { frontEndOf, load } from '../load.ts';
import { counted, report, shownPath } from '../report.ts';
import type { Terminal } from '../terminal.ts';

export async function convert(from: string, to: string, terminal: Terminal): Promise<number> {
  const { project, model, diagnostics, sources } = await load({ path: from, config: undefined, keepsStoreId: false }, terminal);
  const errors = diagnostics.filter((each) => each.severity === 'error');
  if (errors.length > 0) terminal.err(report(errors, { sources, folder: terminal.folder, colours: terminal.colours }));
  if (model === undefined) return 1;
  const out = resolve(terminal.folder, to);
  if (existsSync(out) && readdirSync(out).length > 0) {
    terminal.err(`platform: ${to} is not empty; name a new folder`);
    return 1;
  }
  const result = project.surface === 'earlier' ? toCurrent(project, out) : toEarlier(project, out);
  for (const [file, text] of result.files) write(file, text);
  for (const { source, target } of result.copies) copy(source, target);
  tell(project, result, out, terminal);
  return 0;
}

interface Result {
  readonly files: ReadonlyMap<string, string>;
  readonly copies: readonly { readonly source: string; readonly target: string }[];
  /** One line each. */
  readonly missing: readonly string[];
}

function toCurrent(project: Project, out: string): Result {
  const units = project.sources.map((source) => readLocalUnit(source).unit);
  const files = new Map<string, string>();
  const parts = units.map((unit) => {
    const file = join(out, 'src', `${modulePath(unit)}.al`);
    const moved = moveImports(unit, project, out, file);
    const converted = convertUnit(moved.unit, 'current', units);
    files.set(file, converted.text);
    return { converted, copies: moved.copies };
  });
  const { name, version } = project;
  files.set(join(out, 'package.json'), `${JSON.stringify({ name, version, private: true, type: 'module' }, undefined, 2)}\n`);
  const config = project.config === undefined ? undefined : toCurrentConfig(project.config);
  if (config !== undefined)
    files.set(join(out, 'config.al'), formatted(formatCurrent({ file: 'config.al', text: config.text }), config.text));
  return { files, copies: parts.flatMap((each) => each.copies), missing: missingLines(parts, config?.missing ?? []) };
}

function toEarlier(project: Project, out: string): Result {
  const units = project.sources.map((source) => frontEndOf(project).read(source).unit);
  const files = new Map<string, string>();
  const modules = [...new Set(units.flatMap((each) => each.module?.text ?? []))];
  const parts = modules.flatMap((module) => {
    const file = join(out, `${module.toLowerCase().replaceAll('.', '/')}.platform`);
    const own = units.filter((each) => each.module?.text === module);
    const texts = own.map((unit, index) => {
      const moved = moveImports(unit, project, out, file);
      // A component is one file: only the first part says which one.
      const { module: _, ...rest } = moved.unit;
      return { converted: convertUnit(index === 0 ? moved.unit : rest, 'earlier'), copies: moved.copies };
    });
    files.set(file, texts.map((each) => each.converted.text).join('\n'));
    return texts;
  });
  files.set(join(out, 'model.platform'), manifest(project, modules));
  const config = project.config === undefined ? undefined : toEarlierConfig(project.config);
  if (config !== undefined)
    files.set(join(out, 'config.edn'), formatted(formatEarlier({ file: 'config.edn', text: config.text }), config.text));
  return { files, copies: parts.flatMap((each) => each.copies), missing: missingLines(parts, config?.missing ?? []) };
}

function formatted(result: ReturnType<typeof formatEarlier>, text: string): string {
  return 'text' in result ? result.text : text;
}

function modulePath({ module }: Unit): string {
  return (module?.text ?? 'core').toLowerCase().replaceAll('.', '/');
}

function manifest({ name, version }: Project, modules: readonly string[]): string {
  const text = `{:name ${/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name) ? keyword(name) : textNode(name)}
 :version ${textNode(version)}
 :platform-version "current"
 :components [${modules.map(keyword).join(' ')}]}\n`;
  return formatted(formatEarlier({ file: 'model.platform', text }), text);
}

/** Imported files keep their place in the project; the paths to them begin at another one. */
function moveImports(unit: Unit, { folder }: Project, out: string, file: string): { unit: Unit; copies: Result['copies'] } {
  const copies: Result['copies'][number][] = [];
  const imports = unit.imports.map((each): ImportDeclaration => {
    const source = resolve(dirname(unit.source.file), String(each.path.value));
    const inside = relative(folder, source);
    if (inside.startsWith('..')) return each;
    const target = join(out, inside);
    copies.push(...modulesFrom(source, folder).map((each) => ({ source: each, target: join(out, relative(folder, each)) })));
    const path = relative(dirname(file), target).replaceAll('\\', '/');
    return { ...each, path: { ...each.path, value: path.startsWith('.') ? path : `./${path}`, raw: '' } };
  });
  return { unit: { ...unit, imports }, copies };
}

/** The file, and all files of the project that it leads to. */
function modulesFrom(file: string, folder: string, met = new Set<string>()): readonly string[] {
  if (met.has(file) || relative(folder, file).startsWith('..') || !existsSync(file)) return [];
  met.add(file);
  const names = relativeImports(readFileSync(file, 'utf8'));
  return [file, ...names.flatMap((each) => modulesFrom(resolve(dirname(file), each), folder, met))];
}

function missingLines(parts: readonly { readonly converted: Converted }[], config: readonly string[]): readonly string[] {
  return [...parts.flatMap(({ converted }) => converted.missing.map(lineOf)), ...config];
}

function lineOf({ what, span }: Missing): string {
  const { line, column } = positionOf(span);
  return `${span.source.file}:${line}:${column}  ${what}`;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { flag: 'wx' });
}

function copy(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target)) cpSync(source, target);
}

function tell(project: Project, { files, missing }: Result, out: string, terminal: Terminal): void {
  for (const file of files.keys()) terminal.out(shownPath(file, terminal.folder));
  const shown = missing.map((line) => `  ${line.startsWith(project.folder) ? shownPath(line, terminal.folder) : line}`);
  if (missing.length > 0)
    terminal.out(['', `Without a counterpart in the other form (${counted(missing.length, 'place')}):`, ...shown].join('\n'));
  terminal.out(`${project.name} is now in ${shownPath(out, terminal.folder)}`);
}
