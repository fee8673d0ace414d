import { firstOf } from '../lists.ts';
import { inputOf, LIMIT, type Tool } from '../tool.ts';

export const listSshKeys: Tool = {
  name: 'list_ssh_keys',
  title: 'List SSH keys',
  description: 'The stored SSH keys, which can be given to a new VM by name.',
  scopes: ['sshkey:read'],
  power: 'read',
  input: inputOf(LIMIT),
  async call({ client, signal }, { limit }) {
    const { items, more } = await firstOf((most) => client.sshKeys.list({ limit: most }, { signal }), limit);
    const keys = items.map(({ id, name, fingerprint, algorithm }) => ({ id, name, fingerprint, algorithm }));
    return { data: { keys, more } };
  },
};
