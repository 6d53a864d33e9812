// A server of the Model Context Protocol made with its own library: over HTTP for tests that import it, over its input and output where it is run.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const sum = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };

const tools = [
  { name: 'echo', description: 'Says it again', inputSchema: text },
  {
    name: 'add-all',
    description: 'Adds numbers',
    inputSchema: { type: 'object', properties: { items: { type: 'array', items: { type: 'number' } } } },
    outputSchema: sum,
  },
  { name: 'refuse', inputSchema: { type: 'object' } },
  { name: 'add_all', description: 'Has the event of the first', inputSchema: { type: 'object', required: ['never'] } },
  { name: '-', inputSchema: { type: 'object' } },
  { name: 'endless', inputSchema: { type: 'object', oneOf: [{ $ref: '#' }, { $ref: '#' }] } },
  { name: 'environment', inputSchema: { type: 'object' } },
];

function answer(name, given) {
  switch (name) {
    case 'echo':
      return { content: [{ type: 'text', text: given.text }] };
    case 'add-all': {
      const total = given.items.reduce((all, each) => all + each, 0);
      return { content: [{ type: 'text', text: String(total) }], structuredContent: { total } };
    }
    case 'environment':
      return { content: [{ type: 'text', text: `${process.env.GREETING ?? '-'} ${process.env.SECRET_OF_THE_SERVICE ?? '-'}` }] };
    default:
      return { content: [{ type: 'text', text: 'a secret of the server' }], structuredContent: { secret: 2 ** 60 }, isError: true };
  }
}

function made() {
  const server = new Server({ name: 'other', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => answer(params.name, params.arguments ?? {}));
  return server;
}

/** `asked` gets the token of each request. */
export async function serveTools(asked = [], port = 0) {
  const http = createServer(async (request, response) => {
    asked.push(request.headers.authorization ?? '-');
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await made().connect(transport);
    await transport.handleRequest(request, response);
  });
  await new Promise((resolve) => http.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${http.address().port}/mcp`, asked, http };
}

/** With sessions, which it forgets when it is told to. */
export async function serveSessions() {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (id !== undefined && !sessions.has(id)) return void response.writeHead(404).end();
    const transport = sessions.get(id) ?? (await session(sessions));
    await transport.handleRequest(request, response);
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const close = () => {
    http.closeAllConnections();
    http.close();
  };
  return { url: `http://127.0.0.1:${http.address().port}/mcp`, sessions, close };
}

async function session(sessions) {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await made().connect(transport);
  return transport;
}

if (process.argv[1]?.endsWith('other-server.mjs')) await made().connect(new StdioServerTransport());
