/** Resolves once `signal` or `until` aborts, and removes both listeners. */
export function whenAborted(signal: AbortSignal, until?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      until?.removeEventListener('abort', done);
      resolve();
    };
    if (signal.aborted || until?.aborted) return resolve();
    signal.addEventListener('abort', done, { once: true });
    until?.addEventListener('abort', done, { once: true });
  });
}
