// Waits for a time, or until that is of no use any more; leaves nothing behind with a signal that lives as long as the service.

/** Shorter where it is aborted. */
export function pauseFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds).unref();
    signal?.addEventListener('abort', done);
  });
}
