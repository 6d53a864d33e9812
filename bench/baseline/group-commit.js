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

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      if (waiting.length === 1) setImmediate(flush);
    });
}

/** Every write is one statement, which SQLite undoes by itself when it fails: no savepoint is needed. */
function run({ work, resolve, reject }) {
  try {
    const value = work();
    return () => resolve(value);
  } catch (failure) {
    return () => reject(failure);
  }
}
