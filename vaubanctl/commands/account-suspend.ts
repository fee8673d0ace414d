import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

interface Options {
  stopVms?: boolean;
  yes?: boolean;
}

export function addAccountSuspend(parent: Command): void {
  parent
    .command('suspend')
    .description('let the keys of an account only read, and end what they have open')
    .argument('<account>', 'id of the account, acc_…')
    .option('--stop-vms', 'cut the power of its running VMs as well')
    .option('--yes', 'do not ask before VMs are stopped')
    .addHelpText(
      'after',
      `
VMs run on, and are renewed, unless they are stopped. "vaubanctl account resume" takes it back.

Examples:
  $ vaubanctl account suspend acc_…
  $ vaubanctl account suspend acc_… --stop-vms`,
    )
    .action(async (id: string, { stopVms, yes }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      if (stopVms) await confirm(`Cut the power of all running VMs of ${id}?`, yes);
      const account = await client.post('/accounts/{id}/suspend', {
        params: { id },
        body: { stop_vms: stopVms },
      });
      if (json) return printJson(account);
      print(`${account.id} (${account.name}) is suspended.`);
      if (!('stopped' in account)) return;
      print(`VMs being stopped: ${account.stopped.length}`);
      if (account.left.length > 0) print(`Busy, to be stopped later: ${account.left.join(' ')}`);
    });
}
