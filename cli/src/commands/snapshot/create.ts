import { command } from '../../command.ts';

export const createSnapshot = command('createSnapshot', {
  positional: ['name'],
  ended: async ({ client }, { ids }, { snapshot: { id } }) => {
    const all = await client.snapshots.list(ids[0]!, { limit: 100 }).toArray();
    const snapshot = all.find((one) => one.id === id);
    return snapshot ? { snapshot } : {};
  },
  example: 'vauban snapshot create web-1 before-upgrade --wait',
});
