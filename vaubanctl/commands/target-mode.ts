import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { Target } from '../operator-api.ts';
import { printJson } from '../output.ts';
import { printTarget } from '../print-targets.ts';

export function addTargetMode(parent: Command): void {
  parent
    .command('mode')
    .description('set the mode of a target')
    .argument('<target>', 'id of the target, tgt_…')
    .argument('<mode>', 'always_on, sensor (only detects) or off')
    .action(async (id: string, mode: Target['mode'], _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const target = await client.post('/targets/{id}/mode', { params: { id }, body: { mode } });
      if (json) printJson(target);
      else printTarget(target);
    });
}
