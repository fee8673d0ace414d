import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addHostResume(parent: Command): void {
  parent
    .command('resume')
    .description('start all guests that should be running, after `host drain`')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const resumed = await client.post('/host/resume');
      if (json) printJson(resumed);
      else print('VMs that should be running are being started.');
    });
}
