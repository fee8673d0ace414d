import { createInterface } from 'node:readline/promises';
import { safe } from '../shared/safe-text.ts';
import { Failure } from './failure.ts';

/** Amounts from here on, in major units, need confirmation: a typo often adds a digit. */
const QUESTION_FROM = 1_000;

/** Asks before something large or final. `--yes` answers in advance; without a terminal the command is refused. */
export async function confirm(question: string, yes = false): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new Failure([`${question} Repeat the command with --yes to do it.`], 1);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${safe(question)} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(['Nothing was done.'], 1);
}

/** The help text of `--yes` for {@link largeAmount}. */
export const LARGE_AMOUNT = 'do not ask for confirmation of a large amount';

/** Returns what to ask about an amount such as "1500.00", if it is large. */
export function largeAmount(verb: string, amount: string, account: string): string | undefined {
  return Number(amount) >= QUESTION_FROM ? `${verb} ${amount}, account ${account}?` : undefined;
}
