import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { Orphan } from '../operator-api.ts';
import { instant, printJson, printTable } from '../output.ts';

export function addOrphanList(parent: Command): void {
  parent
    .command('list')
    .description('list guests that belong to no VM')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const orphans = await client.list('/orphans');
      if (json) printJson(orphans);
      else
        printTable(
          ['ID', 'SIZE', 'ADDRESSES', 'FOUND', 'ENGINE'],
          orphans.map((orphan) => [
            orphan.id,
            sizeOf(orphan),
            orphan.addresses.join(', ') || 'none known',
            instant(orphan.found_at),
            orphan.engine,
          ]),
        );
    });
}

function sizeOf({ vcpu, ram_mb, disk_gb }: Orphan): string {
  return vcpu === null ? 'cannot be seen' : `${vcpu} vCPU, ${ram_mb} MB, ${disk_gb} GB`;
}
