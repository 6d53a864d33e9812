// A connection to a server of the Model Context Protocol: made when it is needed, made anew when it broke, over HTTP or with a process of its own.

import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { error } from '../../errors.ts';
import { Outgoing } from '../../outgoing.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { Double, ExactNumber } from '../../values/exact-number.ts';
import { writeJson } from '../../values/json/json.ts';
import { decimalValue } from '../../values/json/number.ts';
import type { Value } from '../../values/value.ts';
import { mostBytes, parsed } from '../http.ts';

/** Where a server is: at an address, or as a command that is run. */
export interface McpServer {
  readonly serverUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether its name may lead to an address of the own network. */
  readonly ownNetwork?: boolean;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where the command is run. */
  readonly folder?: string;
}

export interface McpTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly input: Value;
  readonly output: Value | undefined;
}

const mostPages = 20;
const mostTools = 500;
/** Milliseconds for everything but the calls of tools. */
const patience = 5000;

export class McpConnection {
  readonly #server: McpServer;
  #open: Promise<Open> | undefined;

  constructor(server: McpServer) {
    this.#server = server;
  }

  async tools(): Promise<readonly McpTool[]> {
    return (await this.#opened()).tools;
  }

  /** What the tool answers; `refused` where it says itself that it failed. */
  async call(name: string, given: Value, signal: AbortSignal | undefined): Promise<{ readonly value: Value; readonly refused: boolean }> {
    const opening = this.#opened();
    const { client, schemas } = await opening;
    const params = { name, arguments: record(doubles(given, '')) };
    // Whoever calls has a time-out of their own, and aborts.
    const options = { timeout: 3_600_000, ...(signal === undefined ? {} : { signal }) };
    const answer = await client.request({ method: 'tools/call', params }, schemas.ResultSchema, options).catch(async (thrown: unknown) => {
      // Not an answer of the server: it may have lost the session, which over HTTP no event tells of. The next call makes another.
      if (!(thrown instanceof schemas.McpError) && signal?.aborted !== true) await this.#drop(opening);
      throw thrown;
    });
    const result = schemas.CallToolResultSchema.parse(answer);
    return { value: resultValue(result), refused: result.isError === true };
  }

  async close(): Promise<void> {
    if (this.#open !== undefined) await this.#drop(this.#open);
  }

  async #drop(opening: Promise<Open>): Promise<void> {
    if (this.#open === opening) this.#open = undefined;
    // One that was never open has nothing to close.
    const opened = await opening.catch(() => undefined);
    await opened?.client.close();
  }

  #opened(): Promise<Open> {
    const known = this.#open;
    if (known !== undefined) return known;
    const opening = connected(this.#server, () => {
      if (this.#open === opening) this.#open = undefined;
    });
    this.#open = opening;
    opening.catch(() => {
      if (this.#open === opening) this.#open = undefined;
    });
    return opening;
  }
}

interface Open {
  readonly client: Client;
  readonly tools: readonly McpTool[];
  readonly schemas: typeof import('@modelcontextprotocol/sdk/types.js');
}

async function connected(server: McpServer, closed: () => void): Promise<Open> {
  const { Client: SdkClient } = await import('@modelcontextprotocol/sdk/client/index.js');
  const schemas = await import('@modelcontextprotocol/sdk/types.js');
  const client = new SdkClient({ name: 'platform', version: '1' }, { capabilities: {} });
  const { serverUrl, ownNetwork = false } = server;
  const outgoing = serverUrl === undefined ? undefined : new Outgoing(new URL(serverUrl), { ownNetwork });
  client.onclose = () => {
    outgoing?.close();
    closed();
  };
  try {
    await client.connect(await transportOf(server, outgoing), { timeout: patience });
    return { client, schemas, tools: await listed(client, schemas) };
  } catch (thrown) {
    await client.close();
    outgoing?.close();
    throw thrown;
  }
}

/** The list as it is sent: the client of the library would make code of the schemas in it. */
async function listed(client: Client, { ListToolsResultSchema }: Open['schemas']): Promise<readonly McpTool[]> {
  const found: McpTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && found.length < mostTools; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, { timeout: patience });
    for (const { name, description, inputSchema, outputSchema } of tools)
      found.push({ name, description, input: plain(inputSchema), output: outputSchema === undefined ? undefined : plain(outputSchema) });
    if (nextCursor === undefined) return found;
    cursor = nextCursor;
  }
  return found.slice(0, mostTools);
}

async function transportOf(
  { serverUrl, headers = {}, command, args = [], env = {}, folder }: McpServer,
  outgoing: Outgoing | undefined,
): Promise<Transport> {
  if (command !== undefined) {
    const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const surroundings = { ...getDefaultEnvironment(), ...env };
    return new StdioClientTransport({
      command,
      args: [...args],
      env: surroundings,
      stderr: 'ignore',
      ...(folder === undefined ? {} : { cwd: folder }),
    });
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const base = new URL(serverUrl ?? '');
  const transport = new StreamableHTTPClientTransport(base, {
    requestInit: { headers: { ...headers } },
    fetch: (url, init) => boundedFetch(new URL(url), base, init, outgoing),
  });
  return asTransport(transport);
}

/** The library declares its own transports in a way that exact optional properties do not accept. */
function asTransport(transport: object): Transport {
  if (isTransport(transport)) return transport;
  throw new Error('the transport of the library cannot send');
}

function isTransport(transport: object): transport is Transport {
  return 'start' in transport && 'send' in transport && 'close' in transport;
}

/** No other host, and no answer without an end. */
async function boundedFetch(url: URL, base: URL, init: RequestInit | undefined, outgoing: Outgoing | undefined): Promise<Response> {
  if (url.origin !== base.origin) throw new Error(`the server sends us to ${url.origin}`);
  const answer = await outgoing?.fetch(url, { method: init?.method, headers: init?.headers, body: init?.body, signal: init?.signal });
  if (answer === undefined) throw new Error('a server that is run is not asked over HTTP');
  if (answer.status >= 300 && answer.status < 400) throw new Error('the server sends us somewhere else');
  if (answer.body === null) return answer;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > mostBytes) controller.error(new Error(`more than ${mostBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(counted), { status, statusText, headers });
}

/** A text where all of it is text, what is structured where there is such, else its parts. */
function resultValue({ structuredContent, content }: CallToolResult): Value {
  if (structuredContent !== undefined) return plain(structuredContent);
  const texts = content.flatMap((each) => (each.type === 'text' ? [each.text] : []));
  const value = texts.length === content.length ? texts.join('\n') : plain(content);
  if (typeof value === 'string' && value.length > mostBytes) throw error('resolver-answer-too-large');
  return value;
}

function plain(given: unknown): Value {
  const text = JSON.stringify(given);
  if (text.length > mostBytes) throw error('resolver-answer-too-large');
  return parsed(text);
}

/** As the library writes it: numbers are doubles there, and one that none holds is refused, never rounded. */
function doubles(given: Value, path: string): unknown {
  if (Array.isArray(given)) return given.map((each, index) => doubles(each, `${path}[${index}]`));
  if (given instanceof Double) return given.value;
  if (typeof given === 'bigint' || given instanceof ExactNumber) return doubleOf(given, path);
  if (!isObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([key, each]) => [key, doubles(each, path === '' ? key : `${path}.${key}`)]));
}

function doubleOf(given: bigint | ExactNumber, path: string): number {
  const value = decimalValue(writeJson(given));
  if (typeof value === 'number') return value;
  throw Object.assign(new Error(`${path} has more digits than a number can have there`), { status: 422 });
}

function record(given: unknown): Record<string, unknown> {
  return typeof given === 'object' && given !== null ? { ...given } : {};
}
