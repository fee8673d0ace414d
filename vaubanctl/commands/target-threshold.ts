import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { parseCount } from '../option-values.ts';
import { printJson } from '../output.ts';
import { printTarget } from '../print-targets.ts';

interface Options {
  pps?: number;
  mbps?: number;
  learnt?: boolean;
}

export function addTargetThreshold(parent: Command): void {
  parent
    .command('threshold')
    .description(
      'set the rate above which incoming traffic is an attack; values that are not given are learned from the usual traffic',
    )
    .argument('<target>', 'id of the target, tgt_…')
    .option('--pps <number>', 'packets per second', parseCount)
    .option('--mbps <number>', 'megabits per second', parseCount)
    .option('--learnt', 'learn both from the usual traffic')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl target threshold tgt_… --pps 20000 --mbps 200
  $ vaubanctl target threshold tgt_… --learnt`,
    )
    .action(async (id: string, { pps, mbps, learnt = false }: Options, command: Command) => {
      const isNamed = pps !== undefined || mbps !== undefined;
      if (isNamed === learnt) command.error('error: name --pps, --mbps or both; or --learnt');
      const { client, json } = contextOf(command);
      const body = { pps: pps ?? null, bps: mbps === undefined ? null : mbps * 1_000_000 };
      const target = await client.post('/targets/{id}/threshold', { params: { id }, body });
      if (json) printJson(target);
      else printTarget(target);
    });
}
