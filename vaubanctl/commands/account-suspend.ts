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
    .description('restrict the keys of an account to reading, and end their open sessions')
    .argument('<account>', 'id of the account, acc_…')
    .option('--stop-vms', 'power off its running VMs as well')
    .option('--yes', 'do not ask for confirmation before stopping VMs')
    .addHelpText(
      'after',
      `
VMs keep running and renewing unless they are stopped. "vaubanctl account resume" ends the suspension.

Examples:
  $ vaubanctl account suspend acc_…
  $ vaubanctl account suspend acc_… --stop-vms`,
    )
    .action(async (id: string, { stopVms, yes }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      if (stopVms) await confirm(`Power off all running VMs of ${id}?`, yes);
      const account = await client.post('/accounts/{id}/suspend', {
        params: { id },
        body: { stop_vms: stopVms },
      });
      if (json) return printJson(account);
      print(`${account.id} (${account.name}) is suspended.`);
      if (!('stopped' in account)) return;
      print(`VMs being stopped: ${account.stopped.length}`);
      if (account.left.length > 0) print(`Busy, will be stopped later: ${account.left.join(' ')}`);
    });
}
