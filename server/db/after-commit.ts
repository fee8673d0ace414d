/**
 * Runs the callbacks of a committed transaction. An error in one cannot undo the commit, so it becomes a process
 * warning instead of failing the caller.
 */
export function runCallbacks(callbacks: (() => void)[]): void {
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }
}
