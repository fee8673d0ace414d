export interface CommandOutput {
  exitCode: number | null;
  output: string;
}

export interface RecipeStep {
  command: string;
  reason: string;
}

/** Yields commands one after another, receives the result of each, and returns the answer. */
export type RecipeRun = Generator<RecipeStep, string, CommandOutput>;

export interface Recipe {
  /** Completes "Built-in runbook: …". */
  topic: string;
  asks: RegExp;
  run(ask: string): RecipeRun;
}

export const step = (command: string, reason: string): RecipeStep => ({ command, reason });

export const linesOf = ({ output }: CommandOutput) => output.split('\n').filter((line) => line.trim() !== '');

/** Formats lines of a command's output as a block of an answer, shortened to be readable. */
export function block(lines: readonly string[], most = 12): string {
  const shown = lines.slice(0, most).map((line) => `  ${line}`);
  if (lines.length > most) shown.push(`  … and ${lines.length - most} more`);
  return shown.join('\n');
}

/** Describes a failed command by its exit status and the first line of its output. */
export function complaint({ exitCode, output }: CommandOutput): string {
  const first = output.trim().split('\n', 1)[0] ?? '';
  return `it exited with ${exitCode ?? 'no exit status'}${first === '' ? '' : ` and said: ${first}`}`;
}
