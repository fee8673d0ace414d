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
    .description("reinstall a customer's VM from a template; its events show this to the customer")
    .argument('<vm>', 'id of the VM, vm_…')
    .requiredOption('--template <template>', 'code of the template in the catalog')
    .option('--key <key...>', "only these SSH keys of the account, key_…, instead of the VM's current keys")
    .option('--user-data <file>', 'cloud-init user data; the data used at creation is not kept')
    .option('--delete-snapshots', 'delete its snapshots with its disk, instead of refusing')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
All data on its disk is lost. Its name, addresses, MAC, size, price, firewall and port forwards stay. Share links and the
conversation with the AI agent end. If no key can log in, a password is generated and shown once. A running VM is shut down
and started again. If the rebuild fails, the VM stays as it was.`,
    )
    .action(async (id: string, options: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const { template, key, userData, deleteSnapshots, yes } = options;
      const also = deleteSnapshots ? ', and delete its snapshots' : '';
      await confirm(`Replace all data on the disk of ${id} with ${template}${also}?`, yes);
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
      note('The password of its default user, which will not be shown again:');
      print(rebuild.initial_password);
    });
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error) => {
    throw new Failure([`cannot read ${path}: ${error.message}`], 1);
  });
}
