import type { Command } from 'commander';
import type { Target } from '../api.ts';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printTarget } from '../print-targets.ts';

export function addTargetMode(parent: Command): void {
  parent
    .command('mode')
    .description('say what is done for a target')
    .argument('<target>', 'id of the target, tgt_…')
    .argument('<mode>', 'always_on, sensor (only watches) or off')
    .action(async (id: string, mode: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const target = await client.post<Target>(`/targets/${encodeURIComponent(id)}/mode`, { mode });
      if (json) printJson(target);
      else printTarget(target);
    });
}
