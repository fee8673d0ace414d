import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { Capacity } from '../operator-api.ts';
import { print, printJson, printTable } from '../output.ts';

const NAMES: Record<Capacity['resources'][number]['resource'], string> = {
  vcpu: 'virtual CPUs',
  dedicated_cores: 'dedicated cores',
  ram_mb: 'memory, MB',
  disk_gb: 'disk, GB',
};

export function addHostShow(parent: Command): void {
  parent
    .command('show', { isDefault: true })
    .description('show the total, reserved and free capacity for VMs')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const capacity = await client.get('/host/capacity');
      if (json) return printJson(capacity);
      const amount = (count: number | null) => (count === null ? 'no limit' : `${count}`);
      printTable(
        ['', 'TOTAL>', 'RESERVED>', 'FREE>'],
        capacity.resources.map(({ resource, total, reserved, free }) => [
          NAMES[resource],
          amount(total),
          `${reserved}`,
          amount(free),
        ]),
      );
      print(`Zones: ${capacity.zones === null ? 'all of the catalog' : capacity.zones.join(', ')}`);
    });
}
