import type { Orphan } from '../../shared/api/operator.ts';
import { group, plain } from '../command.ts';
import { instant, print, printTable } from '../output.ts';

const list = plain('list', 'listOrphans', {
  about: 'list guests that belong to no VM',
  print: (orphans) =>
    printTable(
      ['ID', 'SIZE', 'ADDRESSES', 'FOUND', 'ENGINE'],
      orphans.map((orphan) => [
        orphan.id,
        sizeOf(orphan),
        orphan.addresses.join(', ') || 'none known',
        instant(orphan.found_at),
        orphan.engine,
      ]),
    ),
});

function sizeOf({ vcpu, ram_mb, disk_gb }: Orphan): string {
  return vcpu === null ? 'cannot be seen' : `${vcpu} vCPU, ${ram_mb} MB, ${disk_gb} GB`;
}

const remove = plain('remove', 'removeOrphan', {
  about: 'stop a guest that belongs to no VM, and delete its disk and snapshots',
  args: { id: ['<guest>', 'id of the guest, as `vaubanctl orphan list` shows it'] },
  question: ({ id }) => `Delete the guest ${id} with its disk, permanently?`,
  help: "This cannot be undone, and the guest may contain the last copy of a customer's data. Its addresses can be sold again after a rest period.",
  print: ({ id }) => print(`The guest ${id} was removed.`),
});

export const orphan = group('orphan', 'guests that belong to no VM', list, remove);
