// Writes of one turn of the event loop share one transaction, and so one wait for the disk.

export function groupCommit(database) {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  let waiting = [];

  function flush() {
    const writes = waiting;
    waiting = [];
    try {
      begin.run();
      const settle = writes.map(run);
      commit.run();
      for (const settled of settle) settled();
    } catch (failure) {
      if (database.isTransaction) database.exec('ROLLBACK');
      for (const write of writes) write.reject(failure);
    }
  }

  const add = (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      if (waiting.length === 1) setImmediate(flush);
    });

  const savepoint = database.prepare('SAVEPOINT one');
  const release = database.prepare('RELEASE one');
  const undo = database.prepare('ROLLBACK TO one');
  const together = (work) => () => {
    savepoint.run();
    try {
      return work();
    } catch (failure) {
      undo.run();
      throw failure;
    } finally {
      release.run();
    }
  };

  // One statement is undone by SQLite itself when it fails; several need a savepoint.
  return { write: add, writeAll: (work) => add(together(work)) };
}

function run({ work, resolve, reject }) {
  try {
    const value = work();
    return () => resolve(value);
  } catch (failure) {
    return () => reject(failure);
  }
}
