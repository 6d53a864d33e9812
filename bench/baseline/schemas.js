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
