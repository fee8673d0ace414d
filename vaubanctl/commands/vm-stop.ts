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
    .description("stop a customer's VM gracefully; its events show this to the customer")
    .argument('<vm>', 'id of the VM, vm_…')
    .option('--force', 'power it off')
    .option('--yes', 'do not ask for confirmation before powering it off')
    .action(async (id: string, { force, yes }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      if (force) await confirm(`Power off ${id}?`, yes);
      const stop = await client.post('/vms/{id}/stop', { params: { id }, body: { force } });
      if (json) return printJson(stop);
      print(`${id} is being stopped by ${stop.job_id}.`);
    });
}
