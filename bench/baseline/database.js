// Notes and comments in SQLite: prepared statements that make JSON, and writes that share a commit.

import { randomUUID } from 'node:crypto';
import { findDriver } from './driver.js';
import { groupCommit } from './group-commit.js';

const tables = `
  CREATE TABLE IF NOT EXISTS note (
    id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    rank INTEGER,
    kind TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS note_rank ON note (rank);
  CREATE TABLE IF NOT EXISTS comment (
    id TEXT NOT NULL PRIMARY KEY,
    note_id TEXT NOT NULL REFERENCES note (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS comment_note ON comment (note_id);
  CREATE TABLE IF NOT EXISTS purchase (
    id TEXT NOT NULL PRIMARY KEY,
    note TEXT NOT NULL,
    was TEXT NOT NULL,
    amount INTEGER NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS line (
    id TEXT NOT NULL PRIMARY KEY,
    purchase TEXT NOT NULL,
    item TEXT NOT NULL,
    amount INTEGER NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
`;

const noteJson = `json_object('id', id, 'title', title, 'rank', rank, 'kind', kind, 'createdAt', created_at)`;
const foreignKeyFailed = 787;

export function openDatabase(file) {
  const { DatabaseSync } = findDriver();
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864;');
  database.exec('PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000;');
  database.exec(tables);

  const readNote = database.prepare(`SELECT ${noteJson} AS j FROM note WHERE id = ?`);
  const listNotes = database.prepare(listed('ORDER BY rowid LIMIT ?'));
  const listNotesByRank = database.prepare(listed('WHERE rank = ? ORDER BY rowid LIMIT ?'));
  // What is answered is known already: RETURNING costs as much as the insert.
  const insertNote = database.prepare('INSERT INTO note (id, title, rank, kind, created_at) VALUES (?, ?, ?, ?, ?)');
  const insertComment = database.prepare('INSERT INTO comment (id, note_id, text, created_at) VALUES (?, ?, ?, ?)');
  const findNote = database.prepare('SELECT id, title FROM note WHERE id = ?');
  const insertPurchase = database.prepare('INSERT INTO purchase (id, note, was, amount, created_at) VALUES (?, ?, ?, ?, ?)');
  const insertLine = database.prepare('INSERT INTO line (id, purchase, item, amount, created_at) VALUES (?, ?, ?, ?, ?)');
  const renameNote = database.prepare('UPDATE note SET title = ? WHERE id = ?');
  const { write, writeAll } = groupCommit(database);

  return {
    read: (id) => readNote.get(id)?.j,
    list: (limit) => listNotes.get(limit).j,
    listByRank: (rank, limit) => listNotesByRank.get(rank, limit).j,
    create: ({ title, rank = null, kind }) => {
      const id = uuid();
      return write(() => {
        const createdAt = new Date().toISOString();
        insertNote.run(id, title, rank, kind, createdAt);
        return { id, note: JSON.stringify({ id, title, rank, kind, createdAt }) };
      });
    },
    createComment: async (noteId, { text }) => {
      const id = uuid();
      try {
        return await write(() => {
          const createdAt = new Date().toISOString();
          insertComment.run(id, noteId, text, createdAt);
          return { id, comment: JSON.stringify({ id, text, createdAt }) };
        });
      } catch (failure) {
        if (failure.errcode === foreignKeyFailed) return undefined;
        throw failure;
      }
    },
    order: ({ note: noteId, title, item, amount }) =>
      writeAll(() => {
        const note = findNote.get(noteId);
        if (note === undefined) return undefined;
        const id = uuid();
        const now = new Date().toISOString();
        insertPurchase.run(id, note.id, note.title, amount, now);
        insertLine.run(uuid(), id, item, 1, now);
        insertLine.run(uuid(), id, title, amount - 1, now);
        renameNote.run(title, note.id);
        return JSON.stringify({ id, note: note.id, was: note.title, amount, createdAt: now });
      }),
    close: () => database.close(),
  };
}

/** In the order of creation, which is that of the identifiers too. */
function listed(rows) {
  return `SELECT json_group_array(${noteJson}) AS j FROM (SELECT * FROM note ${rows})`;
}

/** Version 7: begins with the time, so that the order of identifiers is that of creation. */
function uuid() {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
