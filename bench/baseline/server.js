// The hand-written program that the service is measured against: notes, their comments and orders, for this one purpose only.
// Run as `PORT=8081 DATABASE=notes.db LOG_LEVEL=warn node server.js`.

import Fastify from 'fastify';
import pino from 'pino';
import { openDatabase } from './database.js';
import { commentBody, noteBody, orderBody } from './schemas.js';

const { PORT = '8081', DATABASE = 'notes.db', LOG_LEVEL = 'info' } = process.env;
const json = 'application/json; charset=utf-8';
const mostRows = 10_000;

const notes = openDatabase(DATABASE);
// Written in large pieces, as the service's log is.
const stream = pino.destination({ dest: 1, sync: false, minLength: 4096 });
const logger = pino({ level: LOG_LEVEL }, stream);
const app = Fastify({
  // Where no request is logged, none pays for a logger.
  ...(logger.isLevelEnabled('info') ? { loggerInstance: logger } : { logger: false }),
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
});

app.get('/bench/Note/:id', (request, reply) => {
  const note = notes.read(request.params.id);
  if (note === undefined) return notFound(reply);
  return reply.header('content-type', json).send(note);
});

app.get('/bench/Note', (request, reply) => {
  const limit = wholeNumber(request.query['@limit'] ?? String(mostRows));
  const rank = request.query['rank'] === undefined ? undefined : wholeNumber(request.query['rank']);
  if (Number.isNaN(limit) || limit > mostRows || Number.isNaN(rank))
    return reply.code(400).send({ message: 'A parameter is not a number.' });
  return reply.header('content-type', json).send(rank === undefined ? notes.list(limit) : notes.listByRank(rank, limit));
});

app.post('/bench/Note', { schema: { body: noteBody } }, async (request, reply) => {
  const { id, note } = await notes.create(request.body);
  return reply.code(201).header('location', `/bench/Note/${id}`).header('content-type', json).send(note);
});

app.post('/bench/Note/:id/NoteComment/Comment', { schema: { body: commentBody } }, async (request, reply) => {
  const created = await notes.createComment(request.params.id, request.body);
  if (created === undefined) return notFound(reply);
  const { id, comment } = created;
  return reply.code(201).header('location', `${request.url}/${id}`).header('content-type', json).send(comment);
});

app.post('/bench/order', { schema: { body: orderBody } }, async (request, reply) => {
  const purchase = await notes.order(request.body);
  return purchase === undefined ? notFound(reply) : reply.header('content-type', json).send(purchase);
});

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
await app.listen({ port: Number(PORT), host: '127.0.0.1' });

async function stop() {
  await app.close();
  notes.close();
  stream.flushSync();
}

function notFound(reply) {
  return reply.code(404).send({ message: 'There is no such note.' });
}

function wholeNumber(text) {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
