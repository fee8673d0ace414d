import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addShieldStop(parent: Command): void {
  parent
    .command('stop')
    .description('end the simulated attacks on a target')
    .argument('<target>', 'id of the target, tgt_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const reply = await client.post('/targets/{id}/attack/stop', { params: { id } });
      if (json) printJson(reply);
      else print(`Attacks ended: ${reply.stopped}.`);
    });
}
