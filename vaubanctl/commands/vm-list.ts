import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { VmStatus } from '../operator-api.ts';
import { instant, money, printJson, printTable } from '../output.ts';

/** The service validates `status`. */
interface Options {
  account?: string;
  status?: VmStatus;
  search?: string;
  unpaid?: true;
}

export function addVmList(parent: Command): void {
  parent
    .command('list')
    .description('list the VMs of all accounts, newest first')
    .option('--account <account>', 'only VMs of this account')
    .option('--status <status>', 'only VMs with this status, such as running')
    .option('--search <text>', 'only VMs with this id or address, or with this text in their name')
    .option('--unpaid', 'only unpaid VMs')
    .action(async ({ account, status, search, unpaid }: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const vms = await client.list('/vms', {
        query: { account, status, search, payment: unpaid && 'unpaid' },
      });
      if (json) return printJson(vms);
      printTable(
        ['ID', 'ACCOUNT', 'HOSTNAME', 'STATUS', 'PLAN', 'IPV4', 'PRICE>', 'PAID UNTIL'],
        vms.map((vm) => [
          vm.id,
          vm.account_id,
          vm.hostname,
          vm.status,
          vm.plan ?? `${vm.vcpu}/${vm.ram_mb}/${vm.disk_gb}`,
          vm.ipv4 ?? '-',
          money(vm.price_monthly_minor, vm.currency),
          instant(vm.paid_until),
        ]),
      );
    });
}
