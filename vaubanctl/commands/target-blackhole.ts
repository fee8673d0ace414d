import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { parseCount } from '../option-values.ts';
import { printJson } from '../output.ts';
import { printTarget } from '../print-targets.ts';

interface Options {
  minutes?: number;
  end?: boolean;
}

export function addTargetBlackhole(parent: Command): void {
  parent
    .command('blackhole')
    .description('the last resort: drop everything to an address for a while, so that others stay reachable')
    .argument('<target>', 'id of the target, tgt_…')
    .option('--minutes <number>', 'duration, at most a day; it ends automatically', parseCount)
    .option('--end', 'end it now')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl target blackhole tgt_… --minutes 30
  $ vaubanctl target blackhole tgt_… --end`,
    )
    .action(async (id: string, { minutes, end = false }: Options, command: Command) => {
      if ((minutes !== undefined) === end) command.error('error: name --minutes or --end');
      const { client, json } = contextOf(command);
      const body = { minutes: minutes ?? null };
      const target = await client.post('/targets/{id}/blackhole', { params: { id }, body });
      if (json) printJson(target);
      else printTarget(target);
    });
}
