// What bodies must look like; Fastify compiles these once, with ajv.

export const noteBody = {
  type: 'object',
  additionalProperties: false,
  required: ['title', 'kind'],
  properties: {
    title: { type: 'string' },
    rank: { type: ['integer', 'null'] },
    kind: { enum: ['a', 'b'] },
  },
};

export const commentBody = {
  type: 'object',
  additionalProperties: false,
  required: ['text'],
  properties: { text: { type: 'string' } },
};

export const orderBody = {
  type: 'object',
  additionalProperties: false,
  required: ['note', 'title', 'item', 'amount'],
  properties: {
    note: { type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' },
    title: { type: 'string' },
    item: { type: 'string' },
    amount: { type: 'integer' },
  },
};
