import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

interface Options {
  force?: boolean;
  yes?: boolean;
}

export function addVmStop(parent: Command): void {
  parent
    .command('stop')
    .description("stop a customer's VM gracefully; the customer reads so in its events")
    .argument('<vm>', 'id of the VM, vm_…')
    .option('--force', 'cut its power')
    .option('--yes', 'do not ask before its power is cut')
    .action(async (id: string, { force, yes }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      if (force) await confirm(`Cut the power of ${id}?`, yes);
      const stop = await client.post('/vms/{id}/stop', { params: { id }, body: { force } });
      if (json) return printJson(stop);
      print(`${id} is being stopped by ${stop.job_id}.`);
    });
}
