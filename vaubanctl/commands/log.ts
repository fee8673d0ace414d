import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { LogEntry } from '../operator-api.ts';
import { parseCount } from '../option-values.ts';
import { instant, printJson, printTable } from '../output.ts';

/** About one screen of a terminal. */
const DEFAULT_COUNT = 50;

export function addLog(parent: Command): void {
  parent
    .command('log')
    .description('show the actions of operators and their results, newest first')
    .option('--count <number>', `number of entries (default: ${DEFAULT_COUNT})`, parseCount)
    .action(async ({ count = DEFAULT_COUNT }: { count?: number }, command: Command) => {
      const { client, json } = contextOf(command);
      const entries = await client.list('/log', { count });
      if (json) return printJson(entries);
      printTable(
        ['AT', 'WHO', 'REQUEST', 'WITH', 'OUTCOME'],
        entries.map((entry) => [
          instant(entry.created_at),
          who(entry),
          entry.request,
          Object.keys(entry.input).length > 0 ? JSON.stringify(entry.input) : '-',
          outcome(entry.status),
        ]),
      );
    });
}

function who({ user_name, login_name, uid, email, ip }: LogEntry): string {
  if (email) return ip ? `${email} from ${ip}` : email;
  const user = user_name ?? (uid === null ? 'unknown' : String(uid));
  return login_name ? `${login_name} as ${user}` : user;
}

function outcome(status: number | null): string {
  if (status === null) return 'cut off';
  return status === 200 ? 'done' : `refused (${status})`;
}
