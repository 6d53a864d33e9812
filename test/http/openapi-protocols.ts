// Requests in GraphQL, of the Model Context Protocol and to an agent, one for each kind of answer.

const hello = { message: 'Hello' };
const list = '{ noteList { id } }';
const both = 'application/json, text/event-stream';
const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const create = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'desk_Note_create', arguments: { id: 1, text: 'First' }, _meta: { progressToken: 1 } },
};

export interface ProtocolCall {
  readonly path: string;
  readonly accept: string;
  /** Of a POST. */
  readonly body?: object;
  readonly query?: string;
  readonly status?: number;
  /** The media type of the answer, where it is not that which is accepted. */
  readonly type?: string;
}

export const protocolCalls: readonly ProtocolCall[] = [
  { path: '/graphql', body: { query: list }, accept: 'application/json' },
  { path: '/graphql', body: [{ query: list }, { query: '{ noteCount }' }], accept: 'application/json' },
  { path: '/graphql', body: { query: list }, accept: 'application/graphql-response+json' },
  { path: '/graphql', body: { query: '{ nothing }' }, accept: 'application/graphql-response+json', status: 400 },
  { path: '/graphql', body: { no: 'query' }, accept: 'application/json', type: 'application/problem+json', status: 400 },
  { path: '/graphql', body: { query: list }, accept: 'text/event-stream' },
  { path: '/graphql', query: `query=${encodeURIComponent(list)}`, accept: 'application/json' },
  { path: '/graphql', query: `query=${encodeURIComponent(list)}`, accept: 'application/graphql-response+json' },
  { path: '/graphql', query: `query=${encodeURIComponent(list)}`, accept: 'text/event-stream' },
  { path: '/graphql', query: 'query=%7B', accept: 'application/graphql-response+json', status: 400 },
  { path: '/graphql', accept: 'application/json', type: 'application/problem+json', status: 400 },
  { path: '/graphql', accept: 'text/html,application/xhtml+xml,*/*;q=0.8', type: 'text/html' },
  { path: '/mcp', body: ping, accept: both, type: 'application/json' },
  { path: '/mcp', body: { jsonrpc: '2.0', method: 'notifications/initialized' }, accept: both, status: 202, type: '' },
  { path: '/mcp', body: ping, accept: 'application/json', status: 406 },
  { path: '/mcp', body: create, accept: both, type: 'text/event-stream' },
  { path: '/desk/clerk', body: hello, accept: 'application/json' },
  { path: '/desk/clerk', body: hello, accept: 'text/event-stream' },
  { path: '/desk/clerk', body: hello, accept: 'text/plain' },
];
