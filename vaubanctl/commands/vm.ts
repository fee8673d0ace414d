import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { VmDetails } from '../../shared/api/operator.ts';
import { type Add, group, plain } from '../command.ts';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { instant, money, note, print, printFields, printJson, printTable } from '../output.ts';

const VM = ['<vm>', 'id of the VM, vm_…'] as const;

const list = plain('list', 'listVms', {
  about: 'list the VMs of all accounts, newest first',
  options: {
    account: ['--account <account>', 'only VMs of this account'],
    // The service validates it.
    status: ['--status <status>', 'only VMs with this status, such as running'],
    search: ['--search <text>', 'only VMs with this id or address, or with this text in their name'],
    payment: new Option('--unpaid', 'only unpaid VMs').preset('unpaid'),
  },
  print: (vms) =>
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
    ),
});

const show = plain('show', 'getVm', {
  about: 'show one VM with its latest events',
  args: { id: VM },
  print: (vm) => {
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
  },
});

function price(vm: VmDetails): string {
  const month = `${money(vm.price_monthly_minor, vm.currency)} per month`;
  const now =
    vm.billing_mode === 'hourly' ? `${vm.price_hourly} ${vm.currency} per hour, at most ${month}` : month;
  return vm.next_billing_mode === vm.billing_mode
    ? now
    : `${now}; ${vm.next_billing_mode} from the next period`;
}

const stop = plain('stop', 'stopVm', {
  about: "stop a customer's VM gracefully; its events show this to the customer",
  args: { id: VM },
  options: { force: ['--force', 'power it off'] },
  question: ({ id, force }) => (force ? `Power off ${id}?` : undefined),
  yes: 'do not ask for confirmation before powering it off',
  print: ({ job_id }, { id }) => print(`${id} is being stopped by ${job_id}.`),
});

const restore = plain('restore', 'restoreVm', {
  about: "restore a customer's VM to one of its snapshots; its events show this to the customer",
  args: {
    id: VM,
    snapshot_id: ['<snapshot>', 'id of the snapshot, snap_…, as `vaubanctl vm show` lists it'],
  },
  question: ({ id, snapshot_id }) => `Replace all data on the disk of ${id} with ${snapshot_id}?`,
  help: `All data on its disk is lost, except for data in snapshots; all snapshots stay. A running VM is shut down and started
again. If the restore fails, the VM stays as it was.`,
  print: ({ snapshot: { name, created_at }, job_id }, { id }) =>
    print(`${id} is being restored to ${name} of ${instant(created_at)} by ${job_id}.`),
});

interface RebuildOptions {
  template: string;
  key?: string[];
  userData?: string;
  deleteSnapshots?: boolean;
  yes?: boolean;
}

const rebuild: Add = (parent) => {
  parent
    .command('rebuild')
    .description("reinstall a customer's VM from a template; its events show this to the customer")
    .argument(...VM)
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
    .action(async (id: string, options: RebuildOptions, command) => {
      const { client, json } = contextOf(command);
      const { template, key, userData, deleteSnapshots, yes } = options;
      const also = deleteSnapshots ? ', and delete its snapshots' : '';
      await confirm(`Replace all data on the disk of ${id} with ${template}${also}?`, yes);
      const rebuild = await client.call('rebuildVm', {
        id,
        template,
        ssh_key_ids: key,
        user_data: userData === undefined ? undefined : await readText(userData),
        delete_snapshots: deleteSnapshots,
      });
      if (json) return printJson(rebuild);
      note(`${id} is being rebuilt from ${template} by ${rebuild.job_id}.`);
      if (rebuild.initial_password === null) return;
      note('The password of its default user, which will not be shown again:');
      print(rebuild.initial_password);
    });
};

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error) => {
    throw new Failure([`cannot read ${path}: ${error.message}`], 1);
  });
}

export const vm = group('vm', 'the VMs of all accounts', list, show, stop, restore, rebuild);
