import { idOf } from '../../names.ts';
import { canonical, refused } from '../confirmations.ts';
import { confirmed } from '../confirmed.ts';
import { type At, inputOf, VM } from '../tool.ts';

interface Terms {
  id: string;
  /** Everything that the preview listed as lost. */
  lost: string;
  idempotencyKey: string;
}

async function preview({ client, signal }: At, id: string) {
  const [{ hostname, status }, preview] = await Promise.all([
    client.vms.get(id, {}, { signal }),
    client.vms.deletePreview(id, { signal }),
  ]);
  return { id, hostname, status, ...preview };
}

const lostOf = ({ data_lost }: Awaited<ReturnType<typeof preview>>) => canonical(data_lost);

export const deleteVm = confirmed<Terms>({
  preview: {
    name: 'preview_delete_vm',
    title: 'Preview the deletion of a VM',
    description: 'Shows the data that would be lost and the refund; required before delete_vm.',
    scopes: ['vm:read'],
  },
  action: {
    name: 'delete_vm',
    title: 'Delete a VM',
    description: 'Deletes a VM with its disks and snapshots. This cannot be undone.',
    scopes: ['vm:destroy', 'vm:read'],
  },
  input: inputOf(VM),
  async look(at, { vm }) {
    const data = await preview(at, await idOf(at.client, 'vm', vm as string, []));
    const terms = { id: data.id, lost: lostOf(data), idempotencyKey: `mcp-${crypto.randomUUID()}` };
    return { data, terms };
  },
  async act(at, _, { id, lost, idempotencyKey }) {
    // The user has not agreed to lose a snapshot that was taken after the preview.
    if (lostOf(await preview(at, id)) !== lost)
      throw refused('The data that would be lost has changed since the preview.');
    return at.client.vms.delete(id, { signal: at.signal, idempotencyKey });
  },
});
