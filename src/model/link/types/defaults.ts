// What an attribute is when it is not sent: @default and @autoincrement.

import { writeJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import { choiceOf } from '../../choice.ts';
import { literalValue, numberText, rounded } from '../../literals.ts';
import type { Default, TypeReference } from '../../model.ts';
import type { CallExpression, Expression } from '../../pattern.ts';
import { isMap } from '../../types/json.ts';
import { decimal } from '../../types/number/decimal.ts';
import { hasMark, markLiterals, markSpan, markValue, repeatedAt } from '../annotations.ts';
import { reportFunction } from '../expressions.ts';
import { clojureFunction, importedFunction, type Linking } from '../scope.ts';
import type { AttributeDraft } from './drafts.ts';

/** Which types each generator may fill. */
const generators: Readonly<Record<'uuid' | 'now' | 'local-now' | 'autoincrement', readonly string[]>> = {
  uuid: ['UUID', 'String'],
  now: ['DateTime', 'Date', 'Time', 'String'],
  'local-now': ['DateTime', 'Date', 'Time', 'String'],
  autoincrement: ['Int'],
};

export function linkDefault(draft: AttributeDraft, type: TypeReference, linking: Linking): Default | undefined {
  const expression = markValue(draft.marks, 'default');
  const counts = hasMark(draft.marks, 'autoincrement');
  if (expression === undefined) return counts ? generated('autoincrement', draft, type, linking) : undefined;
  if (expression.kind === 'call') return linkCall(expression, draft, type, linking);
  if (expression.kind === 'code') return { kind: 'function', function: clojureFunction(expression) };
  const path = expression.kind === 'reference' ? expression.path : [];
  const found = importedFunction(path, expression.span, draft.owner.module, linking);
  if (found !== undefined) return { kind: 'function', function: found };
  const value = literalValue(expression);
  const kept = value === undefined || value === null ? undefined : fitting(expression, value, draft, type);
  if (kept !== undefined) return { kind: 'value', value: kept };
  // One of the two was meant to be another value, which may be this one: that they are the same has been told.
  if (repeatedAt(markLiterals(draft.marks, 'enum') ?? []) !== -1) return undefined;
  const suggestion = path.length === 1 ? `write \`@default("${path[0]}")\`` : undefined;
  linking.report.fault(
    'default-invalid',
    expression.span,
    `the default of \`${draft.declaration.name.text}\` must be ${expectedOf(draft, type)}`,
    suggestion,
  );
  return undefined;
}

function linkCall(call: CallExpression, draft: AttributeDraft, type: TypeReference, linking: Linking): Default | undefined {
  const name = call.name.text;
  if (call.arguments.length > 0) {
    linking.report.fault('default-invalid', call.span, `a function that makes a default takes no arguments; \`${name}\` is given some`);
  } else if (name === 'uuid' || name === 'now' || name === 'autoincrement') {
    return generated(name, draft, type, linking);
  } else if (name.startsWith('dateFns.')) {
    const suggestion = name === 'dateFns.today' ? `write \`@default(now())\`` : undefined;
    linking.report.fault('default-invalid', call.span, `\`${name}\` makes no default`, suggestion);
  } else if (name === 'localNow') {
    return generated('local-now', draft, type, linking);
  } else {
    const found = importedFunction(name.split('.'), call.name.span, draft.owner.module, linking);
    if (found !== undefined) return { kind: 'function', function: found };
    reportFunction(name, call.name.span, draft.owner.module, linking);
  }
  return undefined;
}

function generated(kind: keyof typeof generators, draft: AttributeDraft, type: TypeReference, { report }: Linking): Default | undefined {
  const allowed = generators[kind];
  if (type.kind === 'plain' && allowed.includes(type.type.name) && !draft.declaration.list && !hasMark(draft.marks, 'enum'))
    return { kind };
  const span = markSpan(draft.marks, 'default') ?? markSpan(draft.marks, 'autoincrement') ?? draft.declaration.span;
  const name = draft.declaration.name.text;
  report.fault(
    'default-invalid',
    span,
    `${kind === 'local-now' ? 'localNow' : kind}() fills attributes of type ${allowed.join(', ')}; \`${name}\` has another one`,
    `write \`${draft.declaration.name.text} ${allowed[0]}\``,
  );
  return undefined;
}

/** The default as it will be kept, or `undefined` when it does not fit. */
function fitting(expression: Expression, value: Value, draft: AttributeDraft, type: TypeReference): Value | undefined {
  if (!draft.declaration.list) return fittingOne(expression, value, draft, type);
  if (expression.kind !== 'list' || !Array.isArray(value)) return undefined;
  const kept = expression.items.map((item) => {
    const each = literalValue(item);
    return each === undefined || each === null ? undefined : fittingOne(item, each, draft, type);
  });
  return kept.every((each) => each !== undefined) ? kept : undefined;
}

function fittingOne(expression: Expression, value: Value, draft: AttributeDraft, type: TypeReference): Value | undefined {
  // Whether a map fits a record is checked when all records are known (checks.ts).
  if (type.kind === 'record') return isMap(value) ? value : undefined;
  const kept = type.type.parse(type.type === decimal ? (numberText(expression) ?? value) : rounded(value));
  const allowed = markLiterals(draft.marks, 'enum')?.map((each) => choiceOf(each, type));
  return kept !== undefined && allowed !== undefined && !allowed.includes(choiceOf(kept, type)) ? undefined : kept;
}

function expectedOf(draft: AttributeDraft, type: TypeReference): string {
  const allowed = markLiterals(draft.marks, 'enum');
  const one = type.kind === 'record' ? `a map for the record ${type.record}` : type.type.expected;
  const each = allowed === undefined ? one : `one of ${allowed.map((value) => writeJson(value)).join(', ')}`;
  return draft.declaration.list ? `a list, each of its values ${each}` : each;
}
