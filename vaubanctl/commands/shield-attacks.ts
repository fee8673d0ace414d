import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { parseCount } from '../option-values.ts';
import { instant, printJson, printTable } from '../output.ts';

/** About one screen of a terminal. */
const DEFAULT_COUNT = 50;

export function addShieldAttacks(parent: Command): void {
  parent
    .command('attacks')
    .description('list attacks on all targets, newest first')
    .option('--ongoing', 'only ongoing attacks')
    .option('--count <number>', `number of attacks (default: ${DEFAULT_COUNT})`, parseCount)
    .action(async (options: { ongoing?: true; count?: number }, command: Command) => {
      const { client, json } = contextOf(command);
      const { ongoing, count = DEFAULT_COUNT } = options;
      const query = ongoing ? { status: 'ongoing' as const } : {};
      const attacks = await client.list('/attacks', { query, count });
      if (json) return printJson(attacks);
      printTable(
        ['STARTED', 'ADDRESS', 'ACCOUNT', 'VECTORS', 'SEVERITY', 'PEAK PPS>', 'ENDED'],
        attacks.map((attack) => [
          instant(attack.started_at),
          attack.ip,
          attack.account_id,
          attack.vectors.join(', '),
          attack.severity,
          String(attack.peak_pps),
          attack.ended_at ? instant(attack.ended_at) : 'goes on',
        ]),
      );
    });
}
