// The protocol for one caller: tools, resources, and the model itself.

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  type JSONRPCRequest,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import { type Caller, rolesOf } from '../../engine/caller.ts';
import type { Progress, RequestInfo } from '../../engine/operation.ts';
import { isError, PlatformError, unreachable } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import { mayRun } from '../platform/permitted.ts';
import { toProblem } from '../problem.ts';
import { requestInfo } from '../request-info.ts';
import { type CallParts, call } from './call.ts';
import { modelText, resourceAction, resourceTemplates } from './resources.ts';
import { structured } from './structured.ts';
import type { Tool } from './tools.ts';

export interface McpParts {
  readonly name: string;
  readonly version: string;
  readonly plan: Plan;
  readonly tools: ReadonlyMap<string, Tool>;
  /** What is no fault of the caller goes to the log. */
  failed(thrown: unknown): void;
}

const pageSize = 100;
const resourceMissing = -32002;
const modelUri = 'platform://model';
const instructions = `The resource ${modelUri} says what the types of the application are, and how they are related.`;

export function mcpServer(parts: McpParts, calls: CallParts): Server {
  const { name, version, plan } = parts;
  const server = new Server({ name, version }, { capabilities: { tools: {}, resources: {} }, instructions });
  const offered = [...parts.tools.values()].filter((each) => isOffered(each, plan, calls.caller));
  const inOrder = oneByOne();
  const handlers: ReadonlyMap<string, Handler> = new Map([
    handler('tools/list', ListToolsRequestSchema, ({ params }) => {
      const { items, nextCursor } = pageOf(offered, params?.cursor);
      return { tools: items.map(described), ...(nextCursor === undefined ? {} : { nextCursor }) };
    }),
    handler('tools/call', CallToolRequestSchema, ({ params }, extra, sent) => {
      const tool = offered.find((each) => each.name === params.name);
      if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no such tool.');
      const request = requestInfo(calls.request, extra.signal, progressOf(params._meta?.progressToken, extra));
      // As they were sent: what the library has read lacks `__proto__`.
      return inOrder(() => called(tool, sent.params?.['arguments'] ?? {}, parts, { ...calls, request }));
    }),
    handler('resources/list', ListResourcesRequestSchema, () => ({
      resources: [
        {
          uri: modelUri,
          name: 'model',
          description: 'What the application is: its types, their attributes and relationships, its events.',
          mimeType: 'application/json',
        },
      ],
    })),
    handler('resources/templates/list', ListResourceTemplatesRequestSchema, ({ params }) => {
      const { items, nextCursor } = pageOf(resourceTemplates(plan), params?.cursor);
      return { resourceTemplates: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
    }),
    handler('resources/read', ReadResourceRequestSchema, async ({ params: { uri } }) => {
      const text = uri === modelUri ? modelText(plan) : await inOrder(() => instanceText(uri, parts, calls));
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    }),
  ]);
  server.fallbackRequestHandler = (request, extra) => {
    const handle = handlers.get(request.method);
    if (handle === undefined) throw new McpError(ErrorCode.MethodNotFound, 'There is no such method.');
    return handle(request, extra);
  };
  return server;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Handler = (sent: JSONRPCRequest, extra: Extra) => Promise<ServerResult>;

/** What reads the parameters of a method: a schema of the library. */
interface Parameters<T> {
  safeParse(given: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
}

/** The library takes parameters that do not fit for a failure of its own where it reads them itself. */
function handler<T>(
  method: string,
  parameters: Parameters<T>,
  handle: (request: T, extra: Extra, sent: JSONRPCRequest) => ServerResult | Promise<ServerResult>,
): readonly [string, Handler] {
  return [
    method,
    async (sent, extra) => {
      const read = parameters.safeParse(sent);
      if (!read.success) throw new McpError(ErrorCode.InvalidParams, 'The parameters do not fit.');
      return handle(read.data, extra, sent);
    },
  ];
}

/** Messages that come together are one request: what they ask for is done one after the other, so that it takes no more connections than one. */
function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

/** Events, agents and creating where a role allows it; what is found by owners is offered to everybody, and refused where it is not theirs. */
function isOffered({ action }: Tool, plan: Plan, caller: Caller): boolean {
  if (action.kind === 'invoke') return mayRun(action.target.name, plan, caller);
  const { access } = plan;
  if (access === undefined || action.kind !== 'create') return true;
  const ways = access.rights.get(action.plan.type)?.create.ways;
  const roles = rolesOf(caller);
  if (ways === undefined) return roles.includes('admin');
  return ways.some((way) => {
    if (way.kind === 'admin') return roles.includes('admin');
    return way.kind !== 'rule' || way.rule.roles.some((role) => role === '*' || roles.includes(role));
  });
}

function described({ name, description, inputSchema, outputSchema, isReadOnly, isDestructive }: Tool) {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    outputSchema: { ...outputSchema, type: 'object' as const },
    annotations: { readOnlyHint: isReadOnly, destructiveHint: isDestructive },
  };
}

/** A cursor is the number of those before. */
function pageOf<T>(
  all: readonly T[],
  cursor: string | undefined,
): { readonly items: readonly T[]; readonly nextCursor: string | undefined } {
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0 || start > all.length)
    throw new McpError(ErrorCode.InvalidParams, 'This is no cursor of the list.');
  const end = start + pageSize;
  return { items: all.slice(start, end), nextCursor: end < all.length ? String(end) : undefined };
}

/** A refusal is told to whoever asked, in the words of REST, so that a model can do better. */
async function called(tool: Tool, given: unknown, parts: McpParts, calls: CallParts): Promise<CallToolResult> {
  const values = valuesIn(given);
  try {
    const json = await withRoom(() => call(tool.action, values, calls), calls.request);
    return { content: [{ type: 'text', text: json }], structuredContent: structured(json, tool.outputSchema) };
  } catch (thrown) {
    parts.failed(thrown);
    return { content: [{ type: 'text', text: String(toProblem(thrown, { path: '' }).body) }], isError: true };
  }
}

const mostTries = 4;

/** What finds no room in memory waits for it, and is done again. */
async function withRoom<T>(work: () => Promise<T>, { memory, signal }: RequestInfo): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      const bytes = thrown instanceof PlatformError ? thrown.origin.bytes : undefined;
      if (bytes === undefined || memory === undefined || tries >= mostTries) throw thrown;
      await memory.wait(bytes, signal);
    }
  }
}

/** What an agent does, as it happens; a number that grows, as nobody knows how much there is to come. */
function progressOf(
  progressToken: string | number | undefined,
  { sendNotification }: Pick<Extra, 'sendNotification'>,
): RequestInfo['progress'] {
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (each) => {
    progress += 1;
    // Whoever has gone away is told nothing more.
    sendNotification({ method: 'notifications/progress', params: { progressToken, progress, message: progressText(each) } }).catch(
      () => {},
    );
  };
}

function progressText(progress: Progress): string {
  switch (progress.kind) {
    case 'run':
      return `run ${progress.run}`;
    case 'step':
      return `${progress.step} begins`;
    case 'step-end':
      return `${progress.step} is done`;
    case 'text':
      return progress.delta;
    case 'call':
      return `${progress.step} calls ${progress.tool}`;
    case 'called':
      return `${progress.step} has its answer`;
    default:
      return unreachable(progress);
  }
}

function valuesIn(given: unknown): Readonly<Record<string, Value>> {
  if (isValue(given) && isObject(given)) return given;
  throw new McpError(ErrorCode.InvalidParams, 'The arguments must be an object.');
}

/** What was read from JSON is a value. */
function isValue(given: unknown): given is Value {
  return given === null || ['string', 'number', 'bigint', 'boolean', 'object'].includes(typeof given);
}

async function instanceText(uri: string, { plan }: McpParts, calls: CallParts): Promise<string> {
  try {
    const { action, given } = resourceAction(uri, plan);
    return await call(action, given, calls);
  } catch (thrown) {
    if (isError(thrown, 'instance-not-found') || isError(thrown, 'path-unknown'))
      throw new McpError(resourceMissing, 'There is no such resource.', { uri });
    throw thrown;
  }
}
