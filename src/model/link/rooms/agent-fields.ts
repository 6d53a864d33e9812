// The fields of agents and retries: which there are, and what may stand in them.

import type { Span } from '../../../source.ts';
import type { Values } from '../../../values/value.ts';
import type { Field, FieldsDeclaration } from '../../declaration.ts';
import type { FaultReport } from '../../fault-report.ts';
import { literalMap, literalText, literalValue, writtenName } from '../../literals.ts';
import type { RetryPolicy, TypeName } from '../../model.ts';
import type { Expression, MapExpression } from '../../pattern.ts';
import type { Linking } from '../scope.ts';

/** What each field holds, in the words of a fault. */
export const agentFields = {
  instruction: 'a text',
  role: 'a text',
  goal: 'a text',
  saveResponseAs: 'a text',
  llm: 'a name',
  stateless: 'true or false',
  type: '"chat" or "planner"',
  documents: 'a list of texts',
  channels: 'a list of names',
  scratch: 'a list of names',
  tools: 'a list of entities, events, workflows or modules',
  flows: 'a list of flows',
  responseSchema: 'the name of a record',
  validate: 'the name of an event',
  delegates: 'a list of agents',
  extends: 'the name of an agent',
  retry: 'the name of a retry',
  directives: 'a list of maps with the texts "if" and "then"',
  scenarios: 'a list of maps with the texts "user" and "ai"',
  glossary: 'a list of maps with the texts "name", "meaning" and, if wanted, "synonyms"',
} as const;

export type AgentField = keyof typeof agentFields;

/** The fields of a body by name: known ones, each once. */
export function fieldsByName<K extends string>(
  fields: readonly Field[],
  known: Readonly<Record<K, string>>,
  report: FaultReport,
): ReadonlyMap<K, Expression> {
  const found = new Map<K, Expression>();
  const isKnown = (name: string): name is K => Object.hasOwn(known, name);
  for (const { name, value } of fields) {
    if (!isKnown(name.text)) {
      report.unknown('agent-field-unknown', name.span, `there is no field \`${name.text}\``, name.text, Object.keys(known));
    } else if (found.has(name.text)) {
      report.fault('name-repeated', name.span, `the field \`${name.text}\` is given twice`);
    } else found.set(name.text, value);
  }
  return found;
}

export function fieldFault(name: string, expected: string, span: Span, report: FaultReport): undefined {
  report.fault('agent-field-type', span, `\`${name}\` must be ${expected}`);
  return undefined;
}

/** Names or texts in a list. */
export function nameList(value: Expression): readonly { readonly text: string; readonly span: Span }[] | undefined {
  if (value.kind !== 'list') return undefined;
  const names = value.items.map((each) => ({ text: writtenName(each), span: each.span }));
  return names.every((each): each is { text: string; span: Span } => each.text !== undefined && each.text !== '') ? names : undefined;
}

/** A list of maps of texts, with these keys and no others. */
export function textMaps(value: Expression, required: readonly string[], optional: readonly string[] = []): readonly Values[] | undefined {
  if (value.kind !== 'list') return undefined;
  const maps = value.items.map((each) => textMap(each, required, optional));
  return maps.every((each) => each !== undefined) ? maps : undefined;
}

export function textMap(value: Expression, required: readonly string[], optional: readonly string[] = []): Values | undefined {
  const map = literalMap(value);
  if (map === undefined || !required.every((key) => key in map)) return undefined;
  const fits = Object.entries(map).every(([key, each]) => typeof each === 'string' && (required.includes(key) || optional.includes(key)));
  return fits ? map : undefined;
}

/** A body written as fields or as a map, as fields. */
export function bodyFields(body: readonly Field[] | MapExpression): readonly Field[] {
  if (!('kind' in body)) return body;
  return body.entries.map(({ key, value }) => ({ name: { text: String(key.value), span: key.span }, value }));
}

const retryFields = { attempts: 'a number from 1 to 100', backoff: 'a map' };
const backoffFields = {
  strategy: 'exponential, linear or constant',
  delay: 'a number',
  magnitude: 'milliseconds, seconds or minutes',
  factor: 'a number',
};
const magnitudes: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['milliseconds', 1],
  ['s', 1000],
  ['seconds', 1000],
  ['min', 60_000],
  ['minutes', 60_000],
]);

export function linkRetries({ scope, report }: Linking): ReadonlyMap<TypeName, RetryPolicy> {
  return new Map([...scope.retries].map(([name, entry]) => [name, linkRetry(entry.declaration, report)]));
}

function linkRetry({ body, span }: FieldsDeclaration, report: FaultReport): RetryPolicy {
  const fields = fieldsByName(bodyFields(body), retryFields, report);
  const backoff = fields.get('backoff');
  const inner =
    backoff?.kind === 'map' ? fieldsByName(bodyFields(backoff), backoffFields, report) : new Map<keyof typeof backoffFields, Expression>();
  if (backoff !== undefined && backoff.kind !== 'map') fieldFault('backoff', retryFields.backoff, backoff.span, report);

  const number = (name: 'delay' | 'factor', otherwise: number) => numberOf(inner.get(name), name, backoffFields[name], otherwise, report);
  const strategy = choice(inner.get('strategy'), ['exponential', 'linear', 'constant'] as const, 'exponential');
  if (strategy === undefined) fieldFault('strategy', backoffFields.strategy, inner.get('strategy')?.span ?? span, report);
  const written = inner.get('magnitude');
  const magnitude = written === undefined ? 1000 : magnitudes.get(writtenName(written) ?? '');
  if (magnitude === undefined) fieldFault('magnitude', backoffFields.magnitude, written?.span ?? span, report);
  const attempts = numberOf(fields.get('attempts'), 'attempts', retryFields.attempts, 3, report);
  if (!Number.isInteger(attempts) || attempts < 1 || attempts > 100) {
    fieldFault('attempts', retryFields.attempts, fields.get('attempts')?.span ?? span, report);
  }
  return { attempts, strategy: strategy ?? 'exponential', delayMs: number('delay', 1) * (magnitude ?? 1000), factor: number('factor', 2) };
}

function numberOf(value: Expression | undefined, name: string, expected: string, otherwise: number, report: FaultReport): number {
  if (value === undefined) return otherwise;
  const number = literalValue(value);
  if (typeof number === 'number' && number >= 0) return number;
  fieldFault(name, expected, value.span, report);
  return otherwise;
}

export function choice<T extends string>(value: Expression | undefined, allowed: readonly T[], otherwise: T): T | undefined {
  if (value === undefined) return otherwise;
  const text = literalText(value) ?? writtenName(value);
  return allowed.find((each) => each === text);
}
