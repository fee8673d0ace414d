import { withIds } from '../../fields.ts';
import { purchase } from '../../questions.ts';
import { confirmed } from '../confirmed.ts';
import { inputOf } from '../tool.ts';

const FIELDS = [
  ...['plan', 'template', 'hostname', 'region', 'zone', 'ssh_key_ids', 'user_data', 'notes', 'billing'],
  ...['auto_renew', 'start'],
];

interface Terms {
  /** Names are already replaced with the ids that they had in the preview. */
  body: Record<string, unknown>;
  idempotencyKey: string;
}

export const createVm = confirmed<Terms>({
  preview: {
    name: 'quote_vm',
    title: 'Quote a new VM',
    description: 'Shows the price of a new VM and the balance of the wallet; required before create_vm.',
    scopes: ['catalog:read', 'billing:read'],
  },
  action: {
    name: 'create_vm',
    title: 'Buy a VM',
    description:
      'Buys a VM at no more than the price shown by quote_vm. Its password is not shown, so give it SSH keys. Returns a job: follow it with wait_for_vm.',
    scopes: ['vm:create'],
  },
  input: inputOf({}, 'createVm', FIELDS),
  async look({ session, client }, input) {
    const body = { ...input };
    const { lines, bind } = await purchase(session, { ids: [], input: body });
    await withIds(client, body, []);
    return {
      data: { lines, ...bind },
      terms: { body: { ...body, ...bind }, idempotencyKey: `mcp-${crypto.randomUUID()}` },
    };
  },
  async act({ client, signal }, _, { body, idempotencyKey }) {
    const { initial_password: __, ...created } = await client.vms.create(body as never, {
      signal,
      idempotencyKey,
    });
    return created;
  },
});
