// What the reader has written → requests: which operations there are, and the results of one of them.

import { GraphQLError, Kind, type OperationTypeNode, parse, print, TokenKind } from 'graphql';
import { parseJson, writeJson } from '../api/json.ts';
import { send } from '../api/request.ts';
import { readEvents } from '../api/server-events.ts';

export interface NamedOperation {
  readonly name: string | undefined;
  readonly type: OperationTypeNode;
}

/** Nothing where the text is no document: the service then says why. */
export function operationsIn(text: string): readonly NamedOperation[] {
  try {
    return parse(text).definitions.flatMap((each) =>
      each.kind === Kind.OPERATION_DEFINITION ? [{ name: each.name?.value, type: each.operation }] : [],
    );
  } catch (thrown) {
    if (thrown instanceof GraphQLError) return [];
    throw thrown;
  }
}

/** Comments before the first definition stay. Nothing where there are others, which would be lost. */
export function formattedDocument(text: string): string | undefined {
  const document = parse(text);
  const start = document.definitions[0]?.loc?.start ?? 0;
  for (let token = document.loc?.startToken ?? null; token !== null; token = token.next)
    if (token.kind === TokenKind.COMMENT && token.start > start) return undefined;
  return `${text.slice(0, start)}${print(document)}\n`;
}

export interface Written {
  readonly query: string;
  readonly variables: string;
  readonly headers: string;
}

export interface Result {
  readonly text: string;
  readonly status: number;
}

/** Hands over each result, of a subscription until it ends or is stopped. */
export async function run(
  { query, variables, headers }: Written,
  operation: NamedOperation | undefined,
  signal: AbortSignal,
  onResult: (result: Result) => void,
): Promise<void> {
  const isStream = operation?.type === 'subscription';
  const response = await send({
    method: 'POST',
    path: '/graphql',
    headers: { accept: isStream ? 'text/event-stream' : 'application/graphql-response+json, application/json', ...headersIn(headers) },
    body: { query, operationName: operation?.name ?? null, variables: objectIn(variables, 'Variables') },
    signal,
  });
  const { status } = response;
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isEvents || response.body === null) return onResult({ status, text: formatted(await response.text()) });
  await readEvents(response.body, ({ event, data }) => {
    if (event === 'next') onResult({ status, text: formatted(data) });
  });
}

/** Names of headers differ in nothing but their letters' case. */
function headersIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(objectIn(text, 'Headers')).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function objectIn(text: string, where: string): object {
  if (text.trim() === '') return {};
  const refused = new Error(`${where}: this must be an object in JSON.`);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw refused;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused;
  return value;
}

function formatted(text: string): string {
  try {
    return writeJson(parseJson(text), 2);
  } catch {
    return text;
  }
}
