// The write-ahead log as a file: brought to disk outside the main thread, so that nobody who reads waits for the disk.

import { closeSync, fdatasync, fdatasyncSync, openSync, realpathSync, statSync } from 'node:fs';

/** What was written to a file is on disk when `flush` calls back without a failure, or `flushNow` returns. */
export interface Disk {
  flush(descriptor: number, done: (failure: Error | null) => void): void;
  flushNow(descriptor: number): void;
}

const realDisk: Disk = { flush: fdatasync, flushNow: fdatasyncSync };

/**
 * Connections have `synchronous = NORMAL`: COMMIT appends the frames of its transaction to the log, and `sync` brings them to disk. After a loss of
 * power SQLite reads the log up to the first frame whose checksum, which is one over all frames before it too, does not hold: that is behind
 * every transaction for which `sync` has returned, and what was appended later is there up to the end of some transaction, or not at all.
 * A checkpoint brings the log to disk itself before it copies from it, and the database before the log begins anew.
 */
export class LogFile {
  readonly #path: string;
  readonly #disk: Disk;
  #descriptor: number | undefined;

  /** `file`: the database, which is there. SQLite keeps the log beside the file itself, not beside a link to it. */
  constructor(file: string, disk: Disk = realDisk) {
    this.#path = `${realpathSync(file)}-wal`;
    this.#disk = disk;
  }

  get bytes(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Everything that was committed before the call is on disk when it resolves. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#descriptor ??= this.#open();
      this.#disk.flush(this.#descriptor, (failure) => (failure === null ? resolve() : reject(failure)));
    });
  }

  /** The same at once: everybody waits for the disk, and nobody for the way to a thread and back. */
  syncNow(): void {
    this.#descriptor ??= this.#open();
    this.#disk.flushNow(this.#descriptor);
  }

  /** No lock is lost by it: SQLite locks the database and the index of the log, never the log. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** For writing too, without which Windows flushes nothing. It is there once something was committed: where it is not, somebody has removed it. */
  #open(): number {
    return openSync(this.#path, 'r+');
  }
}
