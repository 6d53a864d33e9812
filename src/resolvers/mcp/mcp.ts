// Tools of servers of the Model Context Protocol as events of a module `<name>.mcp`, called as `eval` of a resolver.

import type { Annotation, TypeDeclaration, Unit } from '../../model/declaration.ts';
import { localOf } from '../../model/model.ts';
import type { Expression, Literal } from '../../model/pattern.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Span } from '../../source.ts';
import { ExactNumber } from '../../values/exact-number.ts';
import { writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { type Patterns, schemaFaults } from '../openapi/schema.ts';
import type { Resolver, ResolverSettings } from '../resolver.ts';
import { McpConnection, type McpServer, type McpTool } from './client.ts';

/** What the configuration or the model says of a server. */
export interface McpEntry extends McpServer {
  readonly name: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly span: Span;
}

export interface McpRead {
  readonly unit: Unit;
  readonly settings: ResolverSettings;
}

/** Its tools, asked now; the connection is not kept. */
export async function listMcpTools(server: McpServer): Promise<readonly McpTool[]> {
  const connection = new McpConnection(server);
  try {
    return await connection.tools();
  } finally {
    await connection.close();
  }
}

/** The events are those that the model names, and all tools that are known; none of them says which attributes it takes. */
export function mcpModule({ name, timeout, span, ...server }: McpEntry, named: readonly string[], tools: readonly McpTool[]): McpRead {
  const module = `${name}.mcp`;
  const known = byEvent(tools);
  const names = [...new Set([...named, ...known.keys()])];
  return {
    unit: {
      source: span.source,
      module: { text: module, span },
      imports: [],
      declarations: names.map((each) => eventOf(each, known.get(each), span)),
      comments: [],
    },
    settings: {
      name: `${module}/mcp`,
      kind: 'mcp',
      types: names.map((each) => `${module}/${each}`),
      mcp: server,
      ...(timeout === undefined ? {} : { timeout }),
    },
  };
}

/** The first tool has the event where two would have the same; one that no model can name has none. */
function byEvent(tools: readonly McpTool[]): ReadonlyMap<string, McpTool> {
  const found = new Map<string, McpTool>();
  for (const each of tools) {
    const name = spelled(each.name);
    if (name !== '' && !found.has(name)) found.set(name, each);
  }
  return found;
}

/** As the model can name it. */
function spelled(tool: string): string {
  return tool
    .replaceAll(/[^A-Za-z0-9_]/g, '_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 60);
}

function eventOf(name: string, tool: McpTool | undefined, span: Span): TypeDeclaration {
  const about = tool?.description === undefined ? [] : [['documentation', tool.description.slice(0, 1000)] as const];
  const facts = [...about, ...(tool === undefined ? [] : [['parameters', tool.input] as const])];
  const meta: Annotation = {
    kind: 'plain',
    name: { text: 'meta', span },
    arguments: [mapOf(facts, span)],
    span,
  };
  return {
    kind: 'event',
    name: { text: name, span },
    isPublic: true,
    open: true,
    attributes: [],
    annotations: facts.length === 0 ? [] : [meta],
    span,
  };
}

function mapOf(entries: readonly (readonly [string, Value])[], span: Span): Expression {
  return { kind: 'map', entries: entries.map(([key, value]) => ({ key: literalOf(key, span), value: expressionOf(value, span) })), span };
}

function expressionOf(value: Value, span: Span): Expression {
  if (Array.isArray(value)) return { kind: 'list', items: value.map((each) => expressionOf(each, span)), span };
  if (isObject(value)) return mapOf(Object.entries(value), span);
  return literalOf(scalarOf(value), span);
}

function scalarOf(value: Value): Literal['value'] {
  if (value instanceof ExactNumber) return value;
  return typeof value === 'object' ? null : value;
}

function literalOf(value: Literal['value'], span: Span): Literal {
  return { kind: 'literal', value, raw: JSON.stringify(String(value)), span };
}

export function mcpResolver(server: McpServer | undefined): Pick<Resolver, 'handlers' | 'close'> {
  if (server === undefined) throw new Error('a resolver of type mcp has no server');
  const connection = new McpConnection(server);
  const patterns: Patterns = new Map();
  return {
    handlers: {
      async eval(event, { type, signal, log }) {
        const tool = byEvent(await connection.tools()).get(localOf(type));
        if (tool === undefined) throw new Error(`the server has no tool ${localOf(type)}`);
        const given = withoutNull(event);
        const [fault] = schemaFaults(given, tool.input, '', { document: tool.input, patterns, direction: 'request' });
        if (fault !== undefined) throw Object.assign(new Error(`${fault.attribute} ${fault.message}`.trim()), { status: 422 });
        const { value, refused } = await connection.call(tool.name, given, signal);
        if (!refused) return value;
        log.warn(`${tool.name} has refused: ${writeJson(value).slice(0, 500)}`);
        throw Object.assign(new Error('The tool has refused this.'), { status: 422 });
      },
    },
    close: () => connection.close(),
  };
}

function withoutNull(event: Value): Value {
  return isObject(event) ? Object.fromEntries(Object.entries(event).filter(([, each]) => each !== null)) : {};
}
