// Reads config.al: runs its script (maps, `@as`, combining, `#js`) and gives its last value.

import { type Diagnostic, diagnostic, hasErrors, nearest } from '../diagnostics.ts';
import { unreachable } from '../errors.ts';
import { readScript, type Script } from '../language/current/script.ts';
import type { Expression, Name, Statement } from '../model/pattern.ts';
import type { Source, Span } from '../source.ts';
import { type Environment, evaluateExpression, isExpression } from './expression.ts';
import { type ConfigInstance, namesType } from './instances.ts';
import type { ConfigEntry, ConfigValue } from './setting.ts';

export interface ConfigRead {
  /** Absent when there is nothing that could be checked further. */
  readonly value: ConfigValue | undefined;
  /** What is put in place at start. */
  readonly instances: readonly ConfigInstance[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The combined map as it is written: what is to be evaluated is still a text. */
export function combineCurrentConfig(source: Source): ConfigValue | undefined {
  return combine({ aliases: new Map(), environment: {}, diagnostics: [] }, readScript(source));
}

function combine(run: Run, { statements }: Pick<Script, 'statements'>): ConfigValue | undefined {
  let last: ConfigValue | undefined;
  for (const statement of statements) last = runStatement(statement, run);
  return last;
}

export function readCurrentConfig(source: Source, environment: Environment): ConfigRead {
  const script = readScript(source);
  const run: Run = { aliases: new Map(), environment, diagnostics: [...script.diagnostics] };
  const last = combine(run, script);
  if (last !== undefined) {
    const { settings, instances } = splitConfig(last);
    const value = evaluateTexts(settings, run);
    return { value, instances: instances.flatMap((each) => evaluateInstances(each, run)), diagnostics: run.diagnostics };
  }
  if (run.diagnostics.length === 0) {
    const message = 'the configuration is empty';
    run.diagnostics.push(diagnostic('config-invalid', { source, start: 0, end: 0 }, message, 'write at least {"service": {"port": 8080}}'));
  }
  return { value: undefined, instances: [], diagnostics: run.diagnostics };
}

/** Settings may all stand under `platform`; instances stand beside, by their types, or in maps and lists of such. */
export function splitConfig(config: ConfigValue): { readonly settings: ConfigValue; readonly instances: readonly ConfigEntry[] } {
  if (config.kind !== 'map') return { settings: config, instances: [] };
  const instances = config.entries.flatMap(instancesAt);
  const settings = config.entries.flatMap((entry) => {
    if (instancesAt(entry).length > 0) return [];
    return entry.key === 'platform' && entry.value.kind === 'map' ? entry.value.entries : [entry];
  });
  return { settings: { ...config, entries: settings }, instances };
}

/** None where it is a setting. */
function instancesAt(entry: ConfigEntry): readonly ConfigEntry[] {
  if (namesType(entry.key)) return [entry];
  const maps = entry.value.kind === 'list' ? entry.value.items : [entry.value];
  const entries = maps.flatMap((each) => (each.kind === 'map' ? each.entries : []));
  return entries.length > 0 && entries.every((each) => namesType(each.key)) ? entries : [];
}

/** A value that is not there is an attribute that is not given. */
function evaluateInstances({ key, keySpan, value }: ConfigEntry, run: Run): readonly ConfigInstance[] {
  const type = { text: key, span: keySpan };
  const all = value.kind === 'list' ? value.items : [value];
  return all.flatMap((each): readonly ConfigInstance[] => {
    if (each.kind !== 'map') return fault(run, each.span, `\`${key}\` is put in place by a map of its attributes`) ?? [];
    const unset: Name[] = [];
    const attributes = each.entries.flatMap((entry) => {
      const before = run.diagnostics.length;
      const lenient: Run = { ...run, unset: (span) => warnUnset(run, `${key}: ${entry.key}`, span) };
      const found = evaluateEntry(entry, lenient);
      if (found.length === 0 && !hasErrors(run.diagnostics.slice(before))) unset.push({ text: entry.key, span: entry.keySpan });
      return found;
    });
    return [{ type, attributes, unset, span: each.span }];
  });
}

export function warnUnset(run: Pick<Run, 'diagnostics'>, what: string, span: Span): void {
  run.diagnostics.push(diagnostic('config-unset', span, `${what} is absent: its value comes from a variable that is not set`));
}

interface Run {
  readonly aliases: Map<string, ConfigValue>;
  readonly environment: Environment;
  readonly diagnostics: Diagnostic[];
  /** Told of values that are not there, where that is no fault. */
  readonly unset?: (span: Span) => void;
}

function runStatement(statement: Statement, run: Run): ConfigValue | undefined {
  const { pattern, as } = statement;
  if (pattern.kind !== 'expression') {
    const hint =
      pattern.kind === 'instance' ? 'keys of a map stand in quotes; instances are created by a start-up statement in src/' : undefined;
    return fault(run, pattern.span, 'a configuration consists of maps', hint);
  }
  const { catches, throws, empty, then } = statement;
  if ([catches, throws, empty, then].some((each) => each !== undefined)) {
    return fault(run, statement.span, 'only @as may follow a map of the configuration');
  }
  const value = evaluate(pattern.expression, run);
  if (as?.kind === 'parts') return fault(run, as.span, 'a section is bound to one name: @as name');
  // A faulty section is bound all the same, so that its use is not a second fault.
  if (as !== undefined) run.aliases.set(as.name.text, value ?? { kind: 'map', entries: [], span: statement.span });
  return value;
}

function evaluate(expression: Expression, run: Run): ConfigValue | undefined {
  switch (expression.kind) {
    case 'literal':
      return { kind: 'scalar', value: expression.value, span: expression.span };
    case 'map': {
      const entries = expression.entries.flatMap(({ key, value }): readonly ConfigEntry[] => {
        const found = evaluate(value, run);
        return found === undefined ? [] : [{ key: String(key.value), keySpan: key.span, value: found }];
      });
      return { kind: 'map', entries, span: expression.span };
    }
    case 'list':
      return { kind: 'list', items: expression.items.flatMap((item) => evaluate(item, run) ?? []), span: expression.span };
    case 'reference':
      return dereference(expression.path, expression.span, run);
    case 'unary': {
      const operand = evaluate(expression.operand, run);
      const number = operand?.kind === 'scalar' && typeof operand.value === 'number' ? operand.value : undefined;
      if (expression.operator === '-' && number !== undefined) return { kind: 'scalar', value: -number, span: expression.span };
      return fault(run, expression.span, 'a configuration does not calculate', computeHint);
    }
    default:
      return fault(run, expression.span, 'a configuration does not calculate', computeHint);
  }
}

const computeHint = 'calculate in JavaScript: "#js 8000 + 80"';

/** `service`, or `service.port`: the value keeps the place where it was written, for later diagnostics. */
function dereference(path: readonly string[], span: Span, run: Run): ConfigValue | undefined {
  const [first = '', ...rest] = path;
  let value = run.aliases.get(first);
  if (value === undefined) {
    const near = nearest(first, run.aliases.keys());
    const hint = near === undefined ? `bind it first: {...} @as ${first}` : `did you mean ${near}?`;
    return fault(run, span, `nothing is called ${first} here`, hint);
  }
  for (const part of rest) {
    const entries: readonly ConfigEntry[] = value.kind === 'map' ? value.entries : [];
    const found = entries.findLast((entry) => entry.key === part);
    if (found === undefined) return fault(run, span, `${path.join('.')} is not there`);
    value = found.value;
  }
  return value;
}

/** After combining, so that a section that is bound but not used is not run. What fails is left out: its fault is already told. */
function evaluateTexts(value: ConfigValue, run: Run): ConfigValue | undefined {
  switch (value.kind) {
    case 'scalar': {
      if (typeof value.value !== 'string' || !isExpression(value.value)) return value;
      const result = evaluateExpression(value.value, value.span, run.environment);
      if ('value' in result) return result.value;
      if (result.unset === true && run.unset !== undefined) run.unset(value.span);
      else run.diagnostics.push(result.diagnostic);
      return undefined;
    }
    case 'list':
      return { ...value, items: value.items.flatMap((item) => evaluateTexts(item, run) ?? []) };
    case 'map':
      return { ...value, entries: value.entries.flatMap((entry) => evaluateEntry(entry, run)) };
    default:
      return unreachable(value);
  }
}

function evaluateEntry(entry: ConfigEntry, run: Run): readonly ConfigEntry[] {
  const value = evaluateTexts(entry.value, run);
  return value === undefined ? [] : [{ ...entry, value }];
}

function fault(run: Run, span: Span, message: string, suggestion?: string): undefined {
  run.diagnostics.push(diagnostic('config-invalid', span, message, suggestion));
  return undefined;
}
