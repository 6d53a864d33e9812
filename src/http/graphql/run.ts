// A document that the schema takes → the JSON of its answer: each root field is one operation of the engine.

import {
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import type { Caller } from '../../engine/caller.ts';
import type { Engine } from '../../engine/engine.ts';
import { placeIn } from '../../engine/instances/concealed.ts';
import type { Address, Operation as EngineOperation, ListQuery, Result } from '../../engine/operation.ts';
import { error, type Fault, FaultList, isError, unreachable } from '../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import { isUnowned } from '../../plan/rows/assignments.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import { parseStored, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import type { HttpRequest } from '../exchange.ts';
import { onceOf } from '../idempotency-key.ts';
import { customResponse, flatOutcome } from '../outcome.ts';
import { toProblem } from '../problem.ts';
import { addressAt, addressById, addressOf, collectionOf } from '../query/address.ts';
import { orderName, readCursor, writeCursor } from '../query/cursor.ts';
import { type HiddenFields, listed, longs, narrowed, shaped } from './answer.ts';
import { bodyOf } from './bodies.ts';
import { type Checked, invalid, refusalOf } from './document.ts';
import type { RootMeaning } from './meaning.ts';
import { addressNames, endArguments, graphqlFault } from './names.ts';
import { long } from './scalars.ts';
import type { Described } from './schema.ts';
import { argumentsOf, type Chosen, choose, collect, countOf, type Operation, recordShape } from './select.ts';
import { orderBy, whereFilter } from './where.ts';

type Row = EntityPlan | LinkPlan;
type Arguments = Readonly<Record<string, Value>>;

export interface RunParts extends Described {
  readonly engine: Engine;
  /** The most instances of a list; absent: no such limit. */
  readonly page: number | undefined;
  /** What is no fault of the caller goes to the log. */
  failed(thrown: unknown, request: HttpRequest): void;
}

export interface Asked {
  readonly document: Extract<Checked, { kind: 'document' }>;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly request: HttpRequest;
  readonly caller: Caller;
  /** Whether it is all that the request asks for. */
  readonly isAlone: boolean;
}

/** `data` is absent where nothing was carried out. */
export interface Answer {
  readonly data: string | undefined;
  readonly errors: readonly GraphQLError[];
}

const rootLimit = 100;
const mostRows = 10_000;

/** Errors come first, as they are easily missed behind long data. */
export function answerText({ data, errors }: Answer): string {
  const members = [
    ...(errors.length === 0 ? [] : [`"errors":${JSON.stringify(errors)}`]),
    ...(data === undefined ? [] : [`"data":${data}`]),
  ];
  return `{${members.join(',')}}`;
}

/** The operation that is meant, or why there is none. */
export function operationIn({ document }: Asked['document'], name: string | undefined): OperationDefinitionNode | GraphQLError {
  return (
    getOperationAST(document, name) ??
    invalid(name === undefined ? 'Name the operation that is meant.' : 'There is no operation of this name.')
  );
}

/** With its variables, or what is wrong with them. */
export function operationFor(definition: OperationDefinitionNode, asked: Asked, { schema, meanings }: RunParts): Operation | Answer {
  const given = getVariableValues(schema, definition.variableDefinitions ?? [], asked.variables, { maxErrors: 20 });
  if (given.errors !== undefined) return { data: undefined, errors: given.errors.map(withoutValue) };
  return { schema, meanings, fragments: asked.document.fragments, variables: given.coerced };
}

export async function run(definition: OperationDefinitionNode, asked: Asked, parts: RunParts): Promise<Answer> {
  const { schema } = parts;
  const operation = operationFor(definition, asked, parts);
  if ('errors' in operation) return operation;
  const type = schema.getRootType(definition.operation);
  if (type === undefined || type === null) return { data: undefined, errors: [invalid(`There is no ${definition.operation} here.`)] };
  const members: string[] = [];
  const errors: GraphQLError[] = [];
  const fields = collect([definition.selectionSet], operation);
  const isAlone = asked.isAlone && fields.size === 1;
  for (const [name, nodes] of fields) {
    const text = await rootField(name, nodes, type, definition, operation, { ...asked, isAlone }, parts, errors);
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  return { data: `{${members.join(',')}}`, errors };
}

/** A field that fails is null, with an error that names it; those beside it are not touched. */
async function rootField(
  name: string,
  nodes: readonly FieldNode[],
  type: GraphQLObjectType,
  definition: OperationDefinitionNode,
  operation: Operation,
  asked: Asked,
  parts: RunParts,
  errors: GraphQLError[],
): Promise<string> {
  const [node] = nodes;
  const field = node?.name.value ?? '';
  if (field === '__typename') return JSON.stringify(type.name);
  if (field.startsWith('__')) return introspected(name, nodes, definition, operation, asked);
  const meaning = operation.meanings.roots.get(field);
  if (meaning === undefined || meaning.kind === 'changes') throw new Error(`nothing stands for ${field}`);
  const hidden: HiddenFields = new Map();
  try {
    const text = await fieldValue(meaning, nodes, type, operation, asked, parts, hidden);
    errors.push(...hiddenErrors(hidden, nodes, name));
    return text;
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) parts.failed(thrown, asked.request);
    errors.push(errorOf(thrown, nodes, name, asked.request));
    return 'null';
  }
}

/** What is null because the caller may not see it: an error for each such field. */
export function hiddenErrors(hidden: HiddenFields, nodes: readonly FieldNode[], name: string): readonly GraphQLError[] {
  return [...hidden.values()].map(
    (path) =>
      new GraphQLError('You may not see this attribute of all of these instances.', {
        nodes,
        path: [name, ...path],
        extensions: { code: 'attribute-hidden', status: 403 },
      }),
  );
}

/** What the schema says of itself is the library's to answer. */
async function introspected(
  name: string,
  nodes: readonly FieldNode[],
  definition: OperationDefinitionNode,
  { schema, fragments, variables }: Operation,
  { document }: Asked,
): Promise<string> {
  const alone: OperationDefinitionNode = { ...definition, selectionSet: { kind: Kind.SELECTION_SET, selections: nodes } };
  const others = document.document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION && fragments.has(each.name.value));
  const result = await execute({ schema, document: { kind: Kind.DOCUMENT, definitions: [alone, ...others] }, variableValues: variables });
  return JSON.stringify(result.data?.[name] ?? null);
}

async function fieldValue(
  meaning: Exclude<RootMeaning, { kind: 'changes' }>,
  nodes: readonly FieldNode[],
  type: GraphQLObjectType,
  operation: Operation,
  asked: Asked,
  parts: RunParts,
  hidden: HiddenFields,
): Promise<string> {
  const given = argumentsOf(nodes, type, operation);
  const { caller, request } = asked;
  const perform = async (each: EngineOperation): Promise<Result> => parts.engine.execute(each, caller, request);
  /** A write that is sent again with the same key gives what the first one gave. */
  const write = async (each: EngineOperation): Promise<string> => {
    const once = asked.isAlone ? onceOf(request, caller, ['graphql'], writtenText) : undefined;
    const result = await parts.engine.execute(each, caller, request, once);
    return result.kind === 'replay' ? result.answer : writtenText(result);
  };
  const definition = type.getFields()[nodes[0]?.name.value ?? ''];
  if (meaning.kind === 'invoke') {
    const gave = await write({ kind: 'invoke', target: meaning.target, body: callBody(meaning, given) });
    return calledText(gave, definition?.type, nodes, operation);
  }
  const { kind, plan } = meaning;
  if (kind === 'count') return counted(await perform({ kind: 'list', at: { plan, under: undefined }, query: countQuery(plan, given) }));
  const target = getNamedType(definition?.type);
  if (!isObjectType(target)) throw new Error(`${plan.type} is an object`);
  const rows = kind === 'list' ? listLimit(given, parts) : 1;
  const chosen = choose(plan, nodes, target, rows, operation);
  const read = (at: EngineOperation & { kind: 'read' }): Promise<string> => readOne(at, chosen, perform, hidden);
  switch (kind) {
    case 'list': {
      const query = listQuery(plan, given, rows, chosen);
      const result = await perform({ kind: 'list', at: { plan, under: undefined }, query });
      return result.kind === 'list' ? listed(result.list, chosen.shape, (place) => writeCursor(query.order, place), hidden) : 'null';
    }
    case 'one':
      return read({ kind: 'read', at: addressIn(plan, given, 'one'), selection: chosen.selection });
    case 'create': {
      const made = await write({
        kind: 'create',
        at: collectionOf(plan, given['parent'] ?? null, given['relationship'] ?? null),
        body: bodyOf(plan, given['input'] ?? null),
      });
      const text = await read({ kind: 'read', at: placeOf(plan, made), selection: chosen.selection });
      // Of what its maker may not read there is its place alone.
      return text !== 'null' || !isUnowned(plan) ? text : writeJson(narrowed(placeIn(plan, parseStored(made)), chosen.shape));
    }
    case 'update': {
      const named = addressIn(plan, given, 'update');
      const made = await write({
        kind: 'update',
        at: named,
        body: bodyOf(plan, given['changes'] ?? null),
        versions: versionsOf(given),
      });
      // By the same name: its path may lead through what the caller may not read.
      const at = isByPath(plan, given) ? placeOf(plan, made) : named;
      return read({ kind: 'read', at, selection: chosen.selection });
    }
    case 'delete': {
      const at = plan.kind === 'link' ? addressBetween(plan, given) : addressIn(plan, given, 'delete');
      // What is around it is gone with it, and so is read before.
      const isPlain = chosen.selection.includes.length === 0 && chosen.shape.tellsHidden !== true;
      const before = isPlain ? undefined : await read({ kind: 'read', at, selection: chosen.selection });
      const gone = await write({ kind: 'delete', at, versions: versionsOf(given) });
      if (before !== undefined && before !== 'null') return before;
      return writeJson(narrowed(parseStored(gone), recordShape(nodes, target, operation)));
    }
    default:
      return unreachable(kind);
  }
}

/** What an event gave, of which only what was asked for is shown where its type is known. */
function calledText(text: string, type: GraphQLOutputType | undefined, nodes: readonly FieldNode[], operation: Operation): string {
  const inner = getNamedType(type);
  if (inner !== long && !isObjectType(inner)) return text;
  const value = parseStored(`{"all":${text}}`)['all'] ?? null;
  return writeJson(isObjectType(inner) ? narrowed(value, recordShape(nodes, inner, operation)) : longs(value));
}

/** What is not there, or not for the caller, is null without an error. */
async function readOne(
  operation: EngineOperation,
  { shape }: Chosen,
  perform: (operation: EngineOperation) => Promise<Result>,
  hidden: HiddenFields,
): Promise<string> {
  try {
    const result = await perform(operation);
    return result.kind === 'instance' ? shaped(result.instance.json, shape, hidden) : 'null';
  } catch (thrown) {
    if (isError(thrown, 'instance-not-found')) return 'null';
    throw thrown;
  }
}

/** What a write gave, as JSON: an instance, or the result of an event. */
function writtenText(result: Result): string {
  return result.kind === 'instance' ? result.instance.json : called(result);
}

/** Where what was created or changed stands now. */
function placeOf(plan: Row, json: string) {
  const { [pathColumn]: path, [plan.identifier.name]: id = null } = parseStored(json);
  return typeof path === 'string' && plan.kind === 'entity' ? addressAt(plan, path) : addressById(plan, id);
}

function callBody({ target }: Extract<RootMeaning, { kind: 'invoke' }>, given: Arguments): Value {
  return 'attributes' in target ? (given['input'] ?? {}) : { message: given['message'] ?? null };
}

/** The JSON of what a workflow gave back; a refusal that it asks for is an error. */
function called(result: Result): string {
  if (result.kind === 'value' || result.kind === 'reply') return writeJson(result.value);
  if (result.kind === 'waiting') {
    const detail = 'type' in result ? 'The run waits for data.' : 'The run waits for somebody to approve of it.';
    throw error('run-state', { detail, runId: result.run });
  }
  if (result.kind !== 'outcome') return 'null';
  const { outcome } = result;
  const refuse = (thrown: unknown): never => {
    throw thrown;
  };
  const custom = customResponse(outcome, flatOutcome, refuse);
  return custom === undefined ? flatOutcome(outcome) : String(custom.body ?? 'null');
}

function counted(result: Result): string {
  return result.kind === 'list' ? String(result.list.total ?? 0) : 'null';
}

function addressIn(plan: Row, given: Arguments, kind: 'one' | 'update' | 'delete'): Address {
  const { id, path } = addressNames(plan, kind);
  return addressOf(plan, path === undefined ? null : (given[path] ?? null), given[id] ?? null);
}

function isByPath(plan: Row, given: Arguments): boolean {
  const { path } = addressNames(plan, 'update');
  return path !== undefined && (given[path] ?? null) !== null;
}

function addressBetween(plan: LinkPlan, given: Arguments): Address {
  const [one, other] = endArguments(plan);
  const ends = [given[one] ?? null, given[other] ?? null] as const;
  return { in: { plan, under: undefined }, id: null, ends };
}

function versionsOf(given: Arguments) {
  const version = given['version'] ?? null;
  return version === null ? undefined : { match: [Number(version)], noneMatch: undefined };
}

function listLimit(given: Arguments, { page }: RunParts): number {
  const faults = new FaultList();
  const most = Math.min(page ?? mostRows, mostRows);
  const limit = countOf('limit', given, Math.min(rootLimit, most), faults);
  if (limit > most) faults.push({ attribute: 'limit', code: 'limit', message: `is at most ${most}` });
  if (faults.length > 0) throw error('query-invalid', { errors: faults });
  return limit;
}

function listQuery(plan: Row, given: Arguments, limit: number, { selection, shape }: Chosen): ListQuery {
  const faults = new FaultList();
  const order = orderBy(plan, given['orderBy'] ?? null, faults);
  const after = given['after'] ?? null;
  const query: ListQuery = {
    filter: whereFilter(plan, given['where'] ?? null, faults),
    key: `orderBy ${orderName(order)}`,
    order,
    selection,
    limit,
    offset: countOf('offset', given, 0, faults),
    after: after === null ? undefined : readCursor(String(after), order, plan, 'after', faults),
    count: false,
    ends: true,
    ...(shape.hasCursor === true && limit > 0 ? { places: true } : {}),
  };
  if (faults.length > 0) throw error('query-invalid', { errors: faults });
  return query;
}

function countQuery(plan: Row, given: Arguments): ListQuery {
  const none = {
    selection: {
      view: { name: 'count', output: () => ({ fields: [], columns: [] }) },
      attributes: undefined,
      includes: [],
      link: undefined,
      key: 'count',
    },
  };
  return { ...listQuery(plan, given, 0, { ...none, shape: { members: new Map(), isNarrowed: false } }), count: true };
}

/** With the code and the status that REST would answer. */
export function errorOf(thrown: unknown, nodes: readonly FieldNode[], name: string, request: HttpRequest): GraphQLError {
  if (thrown instanceof GraphQLError) return new GraphQLError(thrown.message, { nodes, path: [name], extensions: thrown.extensions });
  const problem: { readonly detail: string; readonly code: string; readonly status: number; readonly errors?: readonly Fault[] } =
    JSON.parse(String(toProblem(thrown, request).body));
  const { detail, code, status, errors } = problem;
  return new GraphQLError(detail, {
    nodes,
    path: [name],
    extensions: { code, status, ...(errors === undefined ? {} : { errors: errors.map(graphqlFault) }) },
  });
}

/** The library repeats what was sent. */
function withoutValue(fault: GraphQLError): GraphQLError {
  const message = fault.message.replace(/ got invalid value .*?( at "[^"]*")?; .*$/s, ' got a value of the wrong type$1.');
  return new GraphQLError(message, { nodes: fault.nodes ?? null, extensions: refusalOf(fault) });
}
