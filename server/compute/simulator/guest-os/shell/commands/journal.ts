import { journalOf, logText } from '../../system/journal.ts';
import type { Command, Process } from '../process.ts';

/** Returns the value of an option: "-n 5", "-n5", "--lines=5". */
function optionValue(args: string[], short: string, long: string): string | undefined {
  const at = args.findIndex((arg) => arg === short || arg === `--${long}`);
  if (at >= 0) return args[at + 1];
  const inline = args.find(
    (arg) => arg.startsWith(`--${long}=`) || (arg.startsWith(short) && !arg.startsWith('--')),
  );
  return inline?.startsWith('--') ? inline.slice(long.length + 3) : inline?.slice(short.length);
}

async function journalctl(process: Process): Promise<number> {
  const { system, args } = process;
  const unit = optionValue(args, '-u', 'unit')
    ?.replace(/\.service$/, '')
    .replace(/^sshd$/, 'ssh');
  const count = optionValue(args, '-n', 'lines');
  let lines = journalOf(system);
  if (args.includes('-k') || args.includes('--dmesg')) lines = lines.filter((line) => line.unit === 'kernel');
  if (unit !== undefined) lines = lines.filter((line) => line.unit === unit);
  const priority = optionValue(args, '-p', 'priority');
  if (priority !== undefined && priority !== '')
    lines = lines.filter(({ text }) => /fail|killed|error|warning/i.test(text));
  if (count !== undefined && Number.isFinite(Number(count)))
    lines = lines.slice(Number(count) === 0 ? lines.length : -Number(count));
  if (args.includes('-r')) lines.reverse();
  await process.print(
    lines.length === 0 ? '-- No entries --\n' : lines.map((line) => logText(system, line)).join(''),
  );
  return 0;
}

export const JOURNAL: Record<string, Command> = { journalctl };
