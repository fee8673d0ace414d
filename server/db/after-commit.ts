/** Runs the callbacks of a committed transaction; what they throw cannot undo the commit, so it must not hide it. */
export function runCallbacks(callbacks: (() => void)[]): void {
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }
}
