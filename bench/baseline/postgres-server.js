// The hand-written program on PostgreSQL: rows become objects, Fastify writes them as JSON; notes and their comments only.
// Run as `PORT=8081 DATABASE_URL=postgres://... LOG_LEVEL=warn node postgres-server.js`.

import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import pino from 'pino';
import { commentBody, noteBody } from './schemas.js';

const { PORT = '8081', DATABASE_URL = '', LOG_LEVEL = 'info' } = process.env;
const mostRows = 10_000;
const foreignKeyFailed = '23503';

const tables = `
  CREATE TABLE IF NOT EXISTS note (
    id uuid PRIMARY KEY,
    title text NOT NULL,
    rank integer,
    kind text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX IF NOT EXISTS note_rank ON note (rank);
  CREATE TABLE IF NOT EXISTS comment (
    id uuid PRIMARY KEY,
    note_id uuid NOT NULL REFERENCES note (id) ON DELETE CASCADE,
    text text NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX IF NOT EXISTS comment_note ON comment (note_id);
`;
const noteColumns = 'id, title, rank, kind, created_at AS "createdAt"';

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
await pool.query(tables);

const stream = pino.destination({ dest: 1, sync: false, minLength: 4096 });
const app = Fastify({
  logger: { level: LOG_LEVEL, stream },
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
});

app.get('/bench/Note/:id', async (request, reply) => {
  const { rows } = await pool.query({
    name: 'read',
    text: `SELECT ${noteColumns} FROM note WHERE id = $1`,
    values: [request.params.id],
  });
  return rows.length === 0 ? notFound(reply) : rows[0];
});

app.get('/bench/Note', async (request, reply) => {
  const limit = wholeNumber(request.query['@limit'] ?? String(mostRows));
  const rank = request.query['rank'] === undefined ? undefined : wholeNumber(request.query['rank']);
  if (Number.isNaN(limit) || limit > mostRows || Number.isNaN(rank))
    return reply.code(400).send({ message: 'A parameter is not a number.' });
  const { rows } = await pool.query(
    rank === undefined
      ? { name: 'list', text: `SELECT ${noteColumns} FROM note ORDER BY id LIMIT $1`, values: [limit] }
      : { name: 'filter', text: `SELECT ${noteColumns} FROM note WHERE rank = $1 ORDER BY id LIMIT $2`, values: [rank, limit] },
  );
  return rows;
});

app.post('/bench/Note', { schema: { body: noteBody } }, async (request, reply) => {
  const { title, rank = null, kind } = request.body;
  const { rows } = await pool.query({
    name: 'create',
    text: `INSERT INTO note (id, title, rank, kind, created_at) VALUES ($1, $2, $3, $4, $5) RETURNING ${noteColumns}`,
    values: [uuid(), title, rank, kind, new Date()],
  });
  return reply.code(201).header('location', `/bench/Note/${rows[0].id}`).send(rows[0]);
});

app.post('/bench/Note/:id/NoteComment/Comment', { schema: { body: commentBody } }, async (request, reply) => {
  try {
    const { rows } = await pool.query({
      name: 'comment',
      text: 'INSERT INTO comment (id, note_id, text, created_at) VALUES ($1, $2, $3, $4) RETURNING id, text, created_at AS "createdAt"',
      values: [uuid(), request.params.id, request.body.text, new Date()],
    });
    return reply.code(201).header('location', `${request.url}/${rows[0].id}`).send(rows[0]);
  } catch (failure) {
    if (failure.code === foreignKeyFailed) return notFound(reply);
    throw failure;
  }
});

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
await app.listen({ port: Number(PORT), host: '127.0.0.1' });

async function stop() {
  await app.close();
  await pool.end();
  stream.flushSync();
}

function notFound(reply) {
  return reply.code(404).send({ message: 'There is no such note.' });
}

function wholeNumber(text) {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** Version 7: begins with the time, so that the order of identifiers is that of creation. */
function uuid() {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
