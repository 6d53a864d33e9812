// What values and reports are, as far as it is certain at load time: expressions over known names, columns, aggregates.

import { unreachable } from '../../../errors.ts';
import { equalityOf } from '../../../model/equality.ts';
import { type Attribute, columnKind } from '../../../model/model.ts';
import type { BinaryOperator, Expression, Scalar } from '../../../model/pattern.ts';
import { ExactNumber } from '../../../values/exact-number.ts';
import type { AttributePlan, EntityPlan, LinkPlan } from '../../plan.ts';
import type { JoinOutput } from '../../query/shape.ts';
import type { EventPlan, JoinAction } from '../flow.ts';
import { anything, either, elementOf, listShape, named, nothing, type ResultShape, rowShape, scalar } from './shape.ts';

/** What a name stands for. */
export type ShapeOf = (name: string) => ResultShape;

export function valueShape(expression: Expression, shapeOf: ShapeOf): ResultShape {
  switch (expression.kind) {
    case 'literal':
      return literalShape(expression.value);
    case 'reference':
      return expression.path.slice(1).reduce(memberShape, named(shapeOf(expression.path[0] ?? '')));
    case 'list':
      return listShape(either(expression.items.map((each) => valueShape(each, shapeOf))));
    case 'map':
      return rowShape(new Map(expression.entries.map(({ key, value }) => [String(key.value), valueShape(value, shapeOf)])));
    case 'call':
      if (equalityOf(expression) !== undefined) return scalar('boolean');
      return expression.function === undefined && textFunctions.has(expression.name.text) ? scalar('text') : anything;
    case 'unary':
      return expression.operator === 'not' ? scalar('boolean') : anything;
    case 'binary':
      return binaryShape(expression.operator, valueShape(expression.left, shapeOf), valueShape(expression.right, shapeOf));
    case 'pattern':
    case 'quote':
    case 'unquote':
    case 'code':
      return anything;
    default:
      return unreachable(expression);
  }
}

/** Whether an instance of the type may carry related ones without one name meaning two things. */
export function isCertain(plan: EntityPlan | LinkPlan): boolean {
  if (plan.kind === 'link') return true;
  return [...plan.steps].every(([name, ways]) => {
    const isOwn = !name.includes('$');
    return !isOwn || (!plan.attribute.has(name) && ways.every((each) => each.target === ways[0]?.target));
  });
}

/** Rows of columns; or instances of the first type, where no columns were asked for. */
export function reportShape(action: JoinAction): ResultShape {
  const [main] = action.sources;
  if (action.instances) return listShape(main === undefined || !isCertain(main) ? anything : instanceShape(main, false));
  const results = action.apart?.results ?? action.shape.outputs;
  const canMiss = action.joins.some((each) => each.side !== 'inner') || results.some((each) => each.kind === 'aggregate');
  const fields = results.map((each): readonly [string, ResultShape] => {
    const shape = each.kind === 'computed' ? anything : outputShape(each, action.sources);
    return [each.name, canMiss && each.kind === 'column' ? either([shape, nothing]) : shape];
  });
  return listShape(rowShape(new Map(fields)));
}

export function instanceShape(plan: EntityPlan | LinkPlan, created: boolean): ResultShape {
  return { kind: 'instance', plan, created };
}

/** Built in, and texts whatever they are given. */
const textFunctions: ReadonlySet<string> = new Set(['now', 'localNow', 'str', 'uuid']);

function literalShape(value: Scalar): ResultShape {
  if (value === null) return nothing;
  if (value instanceof ExactNumber) return scalar('decimal');
  switch (typeof value) {
    case 'string':
      return scalar('text');
    case 'boolean':
      return scalar('boolean');
    default:
      return scalar(typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : 'number');
  }
}

function attributeShape(attribute: Attribute): ResultShape {
  return { kind: 'attribute', attribute };
}

/** Of a list, the first element counts; of none there is nothing. */
function memberShape(from: ResultShape, name: string): ResultShape {
  switch (from.kind) {
    case 'list':
      return either([memberShape(elementOf(from), name), nothing]);
    case 'either':
      return either(from.shapes.map((each) => memberShape(each, name)));
    case 'instance':
      return instanceMember(from.plan, name);
    case 'event':
      return eventMember(from.event, name);
    case 'row':
      return from.fields.get(name) ?? nothing;
    case 'nothing':
    case 'false':
    case 'scalar':
      return nothing;
    case 'any':
    case 'attribute':
    case 'record':
      return anything;
    default:
      return unreachable(from);
  }
}

function instanceMember(plan: EntityPlan | LinkPlan, name: string): ResultShape {
  const attribute = name === '__Id__' ? plan.identifier : plan.attribute.get(name);
  return attribute === undefined || attribute.hidden ? anything : attributeShape(attribute.attribute);
}

/** Whatever an event holds that was not checked by its own attributes may be anything. */
function eventMember({ attributes, given, open }: EventPlan, name: string): ResultShape {
  const found = open || given.has(name) ? undefined : attributes.find((each) => each.name === name);
  return found === undefined || found.attribute.type.kind === 'record' ? anything : attributeShape(found.attribute);
}

function binaryShape(operator: BinaryOperator, left: ResultShape, right: ResultShape): ResultShape {
  switch (operator) {
    case '+':
    case '-':
    case '*':
    case '/':
      return numberShape(operator, kindOfNumber(left), kindOfNumber(right));
    default:
      return scalar('boolean');
  }
}

type NumberKind = 'integer' | 'decimal' | 'real';

/** What is divided by zero, or becomes too large, is nothing. A `Float` makes a double of everything. */
function numberShape(operator: '+' | '-' | '*' | '/', left: NumberKind | undefined, right: NumberKind | undefined): ResultShape {
  if (left === undefined || right === undefined) return anything;
  if (left === 'real' || right === 'real') return either([scalar('number'), nothing]);
  if (left === 'decimal' || right === 'decimal') return either([scalar('decimal'), nothing]);
  return either([scalar('integer'), ...(operator === '/' ? [scalar('decimal')] : []), nothing]);
}

function kindOfNumber(shape: ResultShape): NumberKind | undefined {
  // Of the literals, those with a fraction count as decimals.
  if (shape.kind === 'scalar') return shape.type === 'integer' ? 'integer' : shape.type === 'number' ? 'decimal' : undefined;
  if (shape.kind !== 'attribute' || shape.attribute.list || shape.attribute.optional) return undefined;
  const kind = columnKind(shape.attribute);
  return kind === 'integer' || kind === 'decimal' || kind === 'real' ? kind : undefined;
}

type Sources = readonly (EntityPlan | LinkPlan)[];

function outputShape(output: JoinOutput, sources: Sources): ResultShape {
  const place = output.kind === 'aggregate' ? output.of : output;
  const attribute = place && sources[place.source]?.attributes.find((each) => each.column === place.column);
  if (output.kind === 'aggregate') return aggregateShape(output.function, attribute);
  return isShown(attribute) ? attributeShape(attribute.attribute) : anything;
}

/** What stands in a column as it stands in answers. */
function isShown(attribute: AttributePlan | undefined): attribute is AttributePlan {
  return attribute !== undefined && !attribute.hidden && columnKind(attribute.attribute) !== 'json';
}

function aggregateShape(name: 'count' | 'sum' | 'avg' | 'min' | 'max', attribute: AttributePlan | undefined): ResultShape {
  if (name === 'count') return scalar('integer');
  if (!isShown(attribute)) return anything;
  const kind = columnKind(attribute.attribute);
  if (name === 'min' || name === 'max') return kind === 'boolean' ? anything : either([attributeShape(attribute.attribute), nothing]);
  if (kind !== 'integer' && kind !== 'real' && kind !== 'decimal') return anything;
  const type = kind === 'real' ? 'number' : kind;
  return either([scalar(type), ...(kind === 'integer' && name === 'avg' ? [scalar('decimal')] : []), nothing]);
}
