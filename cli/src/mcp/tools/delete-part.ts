import { idOf } from '../../names.ts';
import { confirmed } from '../confirmed.ts';
import { inputOf, VM } from '../tool.ts';

/** The parts of a VM: their name in a path, and the client resource that lists and deletes them. */
const KINDS = {
  snapshot: ['snapshots', 'snapshots'],
  firewall_rule: ['firewall', 'firewall'],
  port_forward: ['port-forwarding', 'portForwards'],
} as const;

type Kind = keyof typeof KINDS;

const PART = {
  kind: { type: 'string', enum: Object.keys(KINDS) },
  part: { type: 'string', minLength: 1, description: 'Its name or id, as shown by describe_vm' },
};

export const deletePart = confirmed<string[]>({
  preview: {
    name: 'preview_delete_part',
    title: 'Preview the deletion of a part of a VM',
    description:
      'Shows the snapshot, firewall rule or port forward that would be deleted; required before delete_part.',
    scopes: ['vm:read'],
  },
  action: {
    name: 'delete_part',
    title: 'Delete a snapshot, firewall rule or port forward',
    description:
      'Deletes a snapshot, a firewall rule or a port forward of a VM. A deleted snapshot cannot be recovered.',
    scopes: ['vm:write'],
  },
  input: inputOf({ ...VM, ...PART }),
  async look({ client, signal }, { vm, kind, part }) {
    const [segment, resource] = KINDS[kind as Kind];
    const vmId = await idOf(client, 'vm', vm as string, []);
    const id = await idOf(client, segment, part as string, [vmId]);
    const items: { id: string }[] = [];
    for await (const item of client[resource].list(vmId, { limit: 100 }, { signal })) items.push(item);
    const item = items.find((one) => one.id === id);
    return {
      data: { vm_id: vmId, kind, [kind as Kind]: item ?? 'There is none with this id.' },
      terms: [vmId, id],
    };
  },
  act: ({ client, signal }, { kind }, [vmId, id]) =>
    client[KINDS[kind as Kind][1]].delete(vmId!, id!, { signal }),
});
