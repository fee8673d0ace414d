import { safe } from '../../shared/safe-text.ts';
import { explain } from './errors.ts';
import { EXIT } from './failure.ts';
import type { Io } from './io.ts';
import { createProgram } from './program.ts';

/** Runs a command, such as `['vm', 'list']`, and returns the exit code. */
export async function run(words: string[], io: Io): Promise<number> {
  try {
    await createProgram(io, words).parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    if (io.signal.aborted) return EXIT.interrupted;
    const { lines, exitCode } = explain(error);
    for (const line of lines) io.stderr.write(`vauban: ${safe(line)}\n`);
    return exitCode;
  }
}
