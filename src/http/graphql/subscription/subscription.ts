// A subscription → the changes of a type as results of its field: one stream of the service, of which each event is one result.

import { type FieldNode, GraphQLError, getNamedType, isObjectType, type OperationDefinitionNode } from 'graphql';
import type { ListQuery } from '../../../engine/operation.ts';
import { error, FaultList } from '../../../errors.ts';
import type { EntityPlan, LinkPlan } from '../../../plan/plan.ts';
import { plainView, type Selection, type View } from '../../../plan/query/selection.ts';
import type { Field } from '../../../plan/query/shape.ts';
import { pathColumn } from '../../../plan/rows/tables.ts';
import { parseStored, writeJson } from '../../../values/json/json.ts';
import type { Value } from '../../../values/value.ts';
import { type ChangeEvent, type ChangeSource, credentialsOf, eventResponse, eventText } from '../../event-stream.ts';
import type { HttpRequest, HttpResponse } from '../../exchange.ts';
import { type HiddenFields, narrowed } from '../answer.ts';
import { invalid } from '../document.ts';
import { type Answer, type Asked, answerText, errorOf, hiddenErrors, operationFor, type RunParts } from '../run.ts';
import { argumentsOf, type Chosen, choose, collect, type Operation } from '../select.ts';
import { whereFilter } from '../where.ts';

type Row = EntityPlan | LinkPlan;

export interface SubscriptionParts extends RunParts {
  readonly changes: ChangeSource;
}

/** What is asked of each change, by the name that the result has for it. */
type Wanted = ReadonlyMap<string, { readonly field: string; readonly chosen: Chosen | undefined }>;

/** A stream that cannot be opened is one result with the reason. */
export async function subscribed(definition: OperationDefinitionNode, asked: Asked, parts: SubscriptionParts): Promise<HttpResponse> {
  const operation = operationFor(definition, asked, parts);
  if ('errors' in operation) return once(operation);
  const [root] = collect([definition.selectionSet], operation);
  const meaning = root && operation.meanings.roots.get(root[1][0]?.name.value ?? '');
  if (root === undefined || meaning?.kind !== 'changes') return once({ data: undefined, errors: [invalid('There is nothing to watch.')] });
  const [name, nodes] = root;
  try {
    return await opened(meaning.plan, name, nodes, operation, asked, parts);
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) parts.failed(thrown, asked.request);
    return once({ data: undefined, errors: [errorOf(thrown, nodes, name, asked.request)] });
  }
}

/** An answer that is there as a whole, as the protocol sends it. */
export function once(answer: Answer): HttpResponse {
  return eventResponse(pieces(`${next(answerText(answer), undefined)}event: complete\ndata:\n\n`), (text) => text);
}

async function* pieces(text: string): AsyncGenerator<string, void> {
  yield text;
}

async function opened(
  plan: Row,
  name: string,
  nodes: readonly FieldNode[],
  operation: Operation,
  { request, caller }: Asked,
  { schema, changes }: SubscriptionParts,
): Promise<HttpResponse> {
  const type = schema.getSubscriptionType();
  if (type === undefined || type === null) throw new Error('there are subscriptions');
  const { where = null, initial = null, after = null } = argumentsOf(nodes, type, operation);
  const wanted = wantedOf(plan, nodes, operation);
  const faults = new FaultList();
  const query: ListQuery = {
    filter: whereFilter(plan, where, faults),
    key: 'changes',
    order: [{ column: plan.key, descending: false }],
    selection: watched(plan, [...wanted.values()].find(({ chosen }) => chosen !== undefined)?.chosen),
    limit: undefined,
    offset: undefined,
    after: undefined,
    count: false,
  };
  if (faults.length > 0) throw error('query-invalid', { errors: faults });
  const events = await changes.open({ kind: 'list', at: { plan, under: undefined }, query }, caller, {
    after: typeof after === 'string' ? after : lastEvent(request),
    initial: initial === true,
    remote: request.remote,
    signal: request.signal,
    stillThere: () => changes.authenticate(request),
    credentials: credentialsOf(request),
  });
  const typeName = getNamedType(type.getFields()[nodes[0]?.name.value ?? '']?.type)?.name ?? '';
  // A comment, which nobody takes for a result, keeps the connection.
  return eventResponse(events, (event) =>
    event.event === 'ping' ? ':\n\n' : next(resultText(event, name, typeName, plan, wanted), event.id),
  );
}

/** As a browser sends it when it comes back. */
function lastEvent({ headers }: HttpRequest): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function wantedOf(plan: Row, nodes: readonly FieldNode[], operation: Operation): Wanted {
  const instance = getNamedType(operation.schema.getType(operation.meanings.names.get(plan) ?? ''));
  if (!isObjectType(instance)) throw new Error(`${plan.type} is an object`);
  const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const wanted = new Map<string, { readonly field: string; readonly chosen: Chosen | undefined }>();
  for (const [alias, fields] of collect(sets, operation)) {
    const field = fields[0]?.name.value ?? '';
    const isTwice = field === 'instance' && [...wanted.values()].some((each) => each.field === field);
    if (isTwice) throw error('query-invalid', { detail: 'The instance of a change is asked for once.' });
    wanted.set(alias, { field, chosen: field === 'instance' ? choose(plan, fields, instance, 1, operation) : undefined });
  }
  return wanted;
}

const [identifierName, pathName] = ['#identifier', '#path'];

/** With what names the instance, under names that no query has. Of one that is gone nothing but that is shown, by the names of the model. */
function watched(plan: Row, chosen: Chosen | undefined): Selection {
  const key = `${chosen?.selection.key ?? 'graphql'} watched`;
  const named = (from: string, name: string): readonly Field[] =>
    plan.output.fields.filter((each) => each.name === from).map((each) => ({ ...each, name }));
  const naming = [...named(plan.identifier.name, identifierName), ...named(pathColumn, pathName)];
  const view: View = {
    name: key,
    output: (row) => ({ fields: [...(chosen?.selection.view.output(row).fields ?? []), ...naming], columns: row.output.columns }),
    names: plainView,
  };
  return { view, attributes: undefined, includes: chosen?.selection.includes ?? [], link: undefined, key };
}

function next(data: string, id: string | undefined): string {
  return eventText({ event: 'next', id, data });
}

function resultText({ event, id, data }: ChangeEvent, name: string, typeName: string, plan: Row, wanted: Wanted): string {
  const isNamed = event === 'delete' || event === 'gone';
  const value = parseStored(data);
  // Whoever has not received all of the present ones yet begins with them again.
  const cursor = id ?? null;
  const naming = isNamed ? [plan.identifier.name, pathColumn] : [identifierName, pathName];
  const [identifier = null, path = null] = event === 'ready' ? [] : naming.map((each) => value[each] ?? null);
  const hidden: HiddenFields = new Map();
  const member = (field: string, chosen: Chosen | undefined, alias: string): Value => {
    switch (field) {
      case 'kind':
        return event.toUpperCase();
      case 'cursor':
        return cursor;
      case 'identifier':
        return isLong(identifier) ? String(identifier) : identifier;
      case 'path':
        return path;
      case 'instance':
        return chosen === undefined || isNamed || event === 'ready'
          ? null
          : narrowed(value, chosen.shape, null, { path: [alias], fields: hidden });
      default:
        return typeName;
    }
  };
  const members = [...wanted].map(([alias, { field, chosen }]) => `${JSON.stringify(alias)}:${writeJson(member(field, chosen, alias))}`);
  const errors = hiddenErrors(hidden, [], name);
  const told = errors.length === 0 ? '' : `"errors":${JSON.stringify(errors)},`;
  return `{${told}"data":{${JSON.stringify(name)}:{${members.join(',')}}}}`;
}

function isLong(value: Value): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value));
}
