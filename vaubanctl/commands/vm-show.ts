import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { Vm } from '../operator-api.ts';
import { instant, money, print, printFields, printJson, printTable } from '../output.ts';

function price(vm: Vm): string {
  const month = `${money(vm.price_monthly_minor, vm.currency)} per month`;
  const now =
    vm.billing_mode === 'hourly' ? `${vm.price_hourly} ${vm.currency} per hour, at most ${month}` : month;
  return vm.next_billing_mode === vm.billing_mode
    ? now
    : `${now}; ${vm.next_billing_mode} from the next period`;
}

export function addVmShow(parent: Command): void {
  parent
    .command('show')
    .description('show one VM with its latest events')
    .argument('<vm>', 'id of the VM, vm_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const vm = await client.get('/vms/{id}', { params: { id } });
      if (json) return printJson(vm);
      printFields({
        id: vm.id,
        account: vm.account_id,
        hostname: vm.hostname,
        status: vm.active_job ? `${vm.status} (${vm.active_job.kind}: ${vm.active_job.id})` : vm.status,
        plan: vm.plan ?? 'custom',
        size: `${vm.vcpu} vCPU, ${vm.ram_mb} MB, ${vm.disk_gb} GB`,
        template: vm.template,
        place: `${vm.region}, ${vm.zone}`,
        addresses: [vm.ipv4, vm.ipv6].filter(Boolean).join(' ') || '-',
        price: price(vm),
        'paid until': instant(vm.paid_until),
        'unpaid since': instant(vm.unpaid_since),
        created: instant(vm.created_at),
      });
      if (vm.snapshots.length > 0) {
        print();
        printTable(
          ['SNAPSHOT', 'NAME', 'STATUS', 'BYTES>', 'TAKEN'],
          vm.snapshots.map(({ id, name, status, size_bytes, created_at }) => [
            id,
            name,
            status,
            `${size_bytes ?? '-'}`,
            instant(created_at),
          ]),
        );
      }
      if (vm.events.length === 0) return;
      print();
      printTable(
        ['AT', 'LEVEL', 'EVENT', 'MESSAGE'],
        vm.events.map(({ created_at, level, type, message }) => [instant(created_at), level, type, message]),
      );
    });
}
