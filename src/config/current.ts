// Reads config.al: runs its script (maps, `@as`, combining, `#js`) and gives its last value.

import { type Diagnostic, diagnostic, nearest } from '../diagnostics.ts';
import { unreachable } from '../errors.ts';
import { readScript, type Script } from '../language/current/script.ts';
import type { Expression, Statement } from '../model/pattern.ts';
import type { Source, Span } from '../source.ts';
import { type Environment, evaluateExpression, isExpression } from './expression.ts';
import type { ConfigEntry, ConfigValue } from './setting.ts';

export interface ConfigRead {
  /** Absent when there is nothing that could be checked further. */
  readonly value: ConfigValue | undefined;
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
  if (last !== undefined) return { value: evaluateTexts(last, run), diagnostics: run.diagnostics };
  if (run.diagnostics.length === 0) {
    const message = 'the configuration is empty';
    run.diagnostics.push(diagnostic('config-invalid', { source, start: 0, end: 0 }, message, 'write at least {"service": {"port": 8080}}'));
  }
  return { value: undefined, diagnostics: run.diagnostics };
}

interface Run {
  readonly aliases: Map<string, ConfigValue>;
  readonly environment: Environment;
  readonly diagnostics: Diagnostic[];
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
      run.diagnostics.push(result.diagnostic);
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
