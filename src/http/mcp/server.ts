// The protocol for one caller: tools, resources, and the model itself.

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Caller, rolesOf } from '../../engine/caller.ts';
import { isError, PlatformError } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import type { HttpRequest } from '../exchange.ts';
import { toProblem } from '../problem.ts';
import { type CallParts, call, structured } from './call.ts';
import { modelText, resourceAction, resourceTemplates } from './resources.ts';
import type { Tool } from './tools.ts';

export interface McpParts {
  readonly name: string;
  readonly version: string;
  readonly plan: Plan;
  readonly tools: ReadonlyMap<string, Tool>;
  /** What is no fault of the caller goes to the log. */
  failed(thrown: unknown, request: HttpRequest): void;
}

const pageSize = 100;
const resourceMissing = -32002;
const modelUri = 'platform://model';

export function mcpServer(parts: McpParts, calls: CallParts & { readonly request: HttpRequest }): Server {
  const { name, version, plan } = parts;
  const server = new Server({ name, version }, { capabilities: { tools: {}, resources: {} } });
  const offered = [...parts.tools.values()].filter((each) => isOffered(each, plan, calls.caller));
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const { items, nextCursor } = pageOf(offered, params?.cursor);
    return { tools: items.map(described), ...(nextCursor === undefined ? {} : { nextCursor }) };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = offered.find((each) => each.name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no such tool.');
    return called(tool, params.arguments ?? {}, parts, calls);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [
      {
        uri: modelUri,
        name: 'model',
        description: 'What the application is: its types, their attributes and relationships, its events.',
        mimeType: 'application/json',
      },
    ],
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: resourceTemplates(plan) }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const text = uri === modelUri ? modelText(plan) : await instanceText(uri, parts, calls);
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  });
  return server;
}

/** Create where a role allows it; what is found by owners is offered to everybody, and refused where it is not theirs. */
function isOffered({ action }: Tool, { access }: Plan, caller: Caller): boolean {
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
    ...(outputSchema === undefined ? {} : { outputSchema: { ...outputSchema, type: 'object' as const } }),
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
async function called(
  tool: Tool,
  given: unknown,
  parts: McpParts,
  calls: CallParts & { readonly request: HttpRequest },
): Promise<CallToolResult> {
  const values = valuesIn(given);
  try {
    const json = await call(tool.action, values, calls);
    return { content: [{ type: 'text', text: json }], structuredContent: structured(json) };
  } catch (thrown) {
    if (thrown instanceof PlatformError && thrown.origin.bytes !== undefined) throw thrown;
    parts.failed(thrown, calls.request);
    return { content: [{ type: 'text', text: String(toProblem(thrown, { path: '' }).body) }], isError: true };
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
