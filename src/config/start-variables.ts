// `process.env.NAME` in what is run at start: read before the model is linked. What is not set leaves its attribute out, and is told.

import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import type { Declaration, StartupDeclaration, Unit } from '../model/declaration.ts';
import type { Expression, InstancePattern, Literal, MapExpression, Pattern } from '../model/pattern.ts';
import type { Environment } from './expression.ts';

export interface WithVariables {
  readonly unit: Unit;
  readonly diagnostics: readonly Diagnostic[];
}

export function withVariables(unit: Unit, environment: Environment): WithVariables {
  const diagnostics: Diagnostic[] = [];
  const reading: Reading = {
    environment,
    unset: (name, what, { span }) =>
      diagnostics.push(diagnostic('config-unset', span, `${what} is absent: the variable ${name} is not set`)),
  };
  const declarations = unit.declarations.map((each): Declaration => (each.kind === 'startup' ? read(each, reading) : each));
  return { unit: { ...unit, declarations }, diagnostics };
}

interface Reading {
  readonly environment: Environment;
  unset(name: string, what: string, at: Expression): void;
}

function read(declaration: StartupDeclaration, reading: Reading): StartupDeclaration {
  const { statement } = declaration;
  const pattern = patternRead(statement.pattern, reading);
  return pattern === statement.pattern ? declaration : { ...declaration, statement: { ...statement, pattern } };
}

function patternRead(pattern: Pattern, reading: Reading): Pattern {
  if (pattern.kind === 'instance') return instanceRead(pattern, reading);
  if (pattern.kind !== 'expression' || pattern.expression.kind !== 'map') return pattern;
  return { ...pattern, expression: mapRead(pattern.expression, reading) };
}

function instanceRead(pattern: InstancePattern, reading: Reading): InstancePattern {
  const attributes = pattern.attributes.flatMap((each) => {
    if (each.value.kind === 'aggregate') return [each];
    const value = valueRead(each.value, each.name.text, reading);
    return value === undefined ? [] : [{ ...each, value }];
  });
  return { ...pattern, attributes };
}

function mapRead(map: MapExpression, reading: Reading): MapExpression {
  const entries = map.entries.flatMap((each) => {
    const value = valueRead(each.value, String(each.key.value), reading);
    return value === undefined ? [] : [{ ...each, value }];
  });
  return { ...map, entries };
}

/** Nothing where the variable is not set. */
function valueRead(value: Expression, what: string, reading: Reading): Expression | undefined {
  if (value.kind === 'map') return mapRead(value, reading);
  if (value.kind === 'list') return { ...value, items: value.items.flatMap((each) => valueRead(each, what, reading) ?? []) };
  const name = value.kind === 'reference' && value.path[0] === 'process' && value.path[1] === 'env' ? value.path[2] : undefined;
  if (name === undefined) return value;
  const found = reading.environment[name];
  if (found === undefined) {
    reading.unset(name, `\`${what}\``, value);
    return undefined;
  }
  const literal: Literal = { kind: 'literal', value: found, raw: JSON.stringify(found), span: value.span };
  return literal;
}
