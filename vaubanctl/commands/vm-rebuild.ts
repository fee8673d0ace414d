import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { note, print, printJson } from '../output.ts';

interface Options {
  template: string;
  key?: string[];
  userData?: string;
  deleteSnapshots?: boolean;
  yes?: boolean;
}

export function addVmRebuild(parent: Command): void {
  parent
    .command('rebuild')
    .description("reinstall a customer's VM from a template; its events say so to the customer")
    .argument('<vm>', 'id of the VM, vm_…')
    .requiredOption('--template <template>', 'code of the template, as the catalog has it')
    .option('--key <key...>', 'only these SSH keys of the account, key_…, instead of those that the VM has')
    .option('--user-data <file>', 'cloud-init user data; what the VM was created with is not kept')
    .option('--delete-snapshots', 'delete its snapshots with its disk, instead of refusing')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
What is on its disk is lost. Its name, addresses, MAC, size, price, firewall and port forwards stay. Share links and the
conversation with the AI agent end. Where no key may log in, a password is made and shown once. A VM that runs is shut down
for it and started again. Where it fails, the VM is as it was.`,
    )
    .action(async (id: string, options: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const { template, key, userData, deleteSnapshots, yes } = options;
      const also = deleteSnapshots ? ', and delete its snapshots' : '';
      await confirm(`Replace what is on the disk of ${id} by ${template}${also}?`, yes);
      const rebuild = await client.post('/vms/{id}/rebuild', {
        params: { id },
        body: {
          template,
          ssh_key_ids: key,
          user_data: userData === undefined ? undefined : await readText(userData),
          delete_snapshots: deleteSnapshots,
        },
      });
      if (json) return printJson(rebuild);
      note(`${id} is being rebuilt from ${template} by ${rebuild.job_id}.`);
      if (rebuild.initial_password === null) return;
      note('The password of its default user, which cannot be shown again:');
      print(rebuild.initial_password);
    });
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error) => {
    throw new Failure([`cannot read ${path}: ${error.message}`], 1);
  });
}
