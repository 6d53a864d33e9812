// The modules that servers of the Model Context Protocol bring: named by the configuration and by start-up statements of the model.

import type { Project } from '../config/project.ts';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import type { StartupDeclaration, Unit } from '../model/declaration.ts';
import type { Expression, PatternAttribute, Statement } from '../model/pattern.ts';
import { listMcpTools, type McpEntry, mcpModule } from '../resolvers/mcp/mcp.ts';
import type { ResolverSettings } from '../resolvers/resolver.ts';
import type { Source, Span } from '../source.ts';

const clientType = 'platform.mcp/createClient';

export interface McpModules {
  /** Those of the model, without the statements that name servers. */
  readonly units: readonly Unit[];
  /** Those of the servers. */
  readonly modules: readonly Unit[];
  readonly settings: readonly ResolverSettings[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Servers are asked for their tools only where agents or requests may come to need them: not for a check. */
export async function mcpModules(
  own: readonly Unit[],
  configured: readonly McpEntry[],
  asks: boolean,
  project: Pick<Project, 'folder'>,
): Promise<McpModules> {
  const diagnostics: Diagnostic[] = [];
  const entries = [...configured];
  const units = own.map((unit) => {
    const clients = unit.declarations.filter((each) => each.kind === 'startup' && isClient(each));
    if (clients.length === 0) return unit;
    for (const each of clients) if (each.kind === 'startup') entries.push(...entryOf(each, diagnostics));
    return { ...unit, declarations: unit.declarations.filter((each) => !clients.includes(each)) };
  });
  const repeated = entries.filter(({ name }, index) => entries.slice(0, index).some((each) => each.name === name));
  for (const { name, span } of repeated) diagnostics.push(diagnostic('name-repeated', span, `there are two MCP servers \`${name}\``));
  const sources = units.map((each) => each.source);
  const read = await Promise.all(
    entries
      .filter((each) => !repeated.includes(each))
      .map((each) => moduleOf({ ...each, folder: project.folder }, sources, asks, diagnostics)),
  );
  return { units, modules: read.map((each) => each.unit), settings: read.map((each) => each.settings), diagnostics };
}

function isClient({ statement: { pattern } }: StartupDeclaration): boolean {
  if (pattern.kind === 'expression') return fieldsOf(pattern.expression).get('type') === 'mcp';
  return pattern.kind === 'instance' && pattern.type.text === clientType;
}

async function moduleOf(
  entry: McpEntry,
  sources: readonly Source[],
  asks: boolean,
  diagnostics: Diagnostic[],
): Promise<ReturnType<typeof mcpModule>> {
  const { name, span } = entry;
  const use = new RegExp(`(?<![\\w.])${name.replaceAll('.', '\\.')}\\.mcp/([A-Za-z]\\w*)`, 'g');
  const named = sources.flatMap(({ text }) => [...text.matchAll(use)].map(([, tool = '']) => tool));
  if (!asks) return mcpModule(entry, named, []);
  try {
    return mcpModule(entry, named, await listMcpTools(entry));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `the MCP server ${name} is not reached, and agents are not offered its tools: ${why.slice(0, 200)}`;
    diagnostics.push(diagnostic('config-server-unreached', span, message));
    return mcpModule(entry, named, []);
  }
}

/** `{platform.mcp/createClient {name "weather", serverUrl "https://…", bearerToken "…"}}`. */
function entryOf({ statement, span }: StartupDeclaration, diagnostics: Diagnostic[]): readonly McpEntry[] {
  const { pattern } = statement;
  if (pattern.kind === 'expression') return describedIn(statement, diagnostics);
  const attributes = pattern.kind === 'instance' ? pattern.attributes : [];
  const given = new Map(attributes.map((each) => [each.name.text, textOf(each.value)]));
  for (const each of attributes)
    if (!['name', 'serverUrl', 'bearerToken'].includes(each.name.text))
      diagnostics.push(diagnostic('attribute-unknown', each.span, `${clientType} has no attribute \`${each.name.text}\``));
  const [name, serverUrl, token] = ['name', 'serverUrl', 'bearerToken'].map((each) => given.get(each));
  if (name === undefined || !/^[A-Za-z]\w*(?:\.\w+)*$/.test(name) || !isAddress(serverUrl)) {
    diagnostics.push(diagnostic('attribute-missing', span, `${clientType} needs the texts name and serverUrl, an address of HTTP`));
    return [];
  }
  return [serverAt(name, serverUrl, token, span)];
}

/** `{"type": "mcp", "serverLabel": "weather", "serverUrl": "https://…"} @as weather`. */
function describedIn({ pattern, as, span }: Statement, diagnostics: Diagnostic[]): readonly McpEntry[] {
  const name = as?.kind === 'whole' ? as.name.text : undefined;
  const fields = pattern.kind === 'expression' ? fieldsOf(pattern.expression) : new Map<string, string | undefined>();
  const [serverUrl, token] = [fields.get('serverurl'), fields.get('bearertoken') ?? fields.get('authorization')];
  if (name !== undefined && isAddress(serverUrl)) return [serverAt(name, serverUrl, token, span)];
  diagnostics.push(
    diagnostic('attribute-missing', span, 'a map that describes an MCP server needs serverUrl, an address of HTTP, and a name (@as)'),
  );
  return [];
}

function serverAt(name: string, serverUrl: string | undefined, token: string | undefined, span: Span): McpEntry {
  const headers = token === undefined || token === '' ? {} : { authorization: /^bearer /i.test(token) ? token : `Bearer ${token}` };
  return { name, ...(serverUrl === undefined ? {} : { serverUrl }), headers, span };
}

/** By their names without regard to `_` and capital letters. */
function fieldsOf(value: Expression): ReadonlyMap<string, string | undefined> {
  const entries = value.kind === 'map' ? value.entries : [];
  return new Map(entries.map((each) => [String(each.key.value).replaceAll('_', '').toLowerCase(), textOf(each.value)]));
}

function isAddress(text: string | undefined): boolean {
  return text !== undefined && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function textOf(value: PatternAttribute['value']): string | undefined {
  return 'kind' in value && value.kind === 'literal' && typeof value.value === 'string' ? value.value : undefined;
}
