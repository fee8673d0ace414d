/** What came of a command. */
export interface CommandOutput {
  exitCode: number | null;
  output: string;
}

/** The next command of a recipe. */
export interface RecipeStep {
  command: string;
  reason: string;
}

/** Asks for commands one after the other, is given what came of each, and returns the answer. */
export type RecipeRun = Generator<RecipeStep, string, CommandOutput>;

/** How one kind of ask is dealt with. */
export interface Recipe {
  /** Completes "Built-in runbook: …". */
  topic: string;
  asks: RegExp;
  run(ask: string): RecipeRun;
}

export const step = (command: string, reason: string): RecipeStep => ({ command, reason });

export const linesOf = ({ output }: CommandOutput) => output.split('\n').filter((line) => line.trim() !== '');

/** Lines of a command as a block of an answer, few enough to be read. */
export function block(lines: readonly string[], most = 12): string {
  const shown = lines.slice(0, most).map((line) => `  ${line}`);
  if (lines.length > most) shown.push(`  … and ${lines.length - most} more`);
  return shown.join('\n');
}

/** The first words of an output that is no success, for the answer. */
export function complaint({ exitCode, output }: CommandOutput): string {
  const first = output.trim().split('\n', 1)[0] ?? '';
  return `it ended with ${exitCode ?? 'no exit status'}${first === '' ? '' : ` and said: ${first}`}`;
}
