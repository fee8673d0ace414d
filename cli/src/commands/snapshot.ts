import type { Specs } from '../command.ts';
import { deletion } from '../questions.ts';

export const snapshot = {
  listSnapshots: {
    columns: ['id', 'name', 'status', 'size_bytes', 'created_at'],
    wide: ['description', 'includes_memory'],
    example: 'vauban snapshot list web-1',
  },
  createSnapshot: {
    positional: ['name'],
    ended: async ({ client }, { ids }, { snapshot: { id } }) => {
      const all = await client.snapshots.list(ids[0]!, { limit: 100 }).toArray();
      const snapshot = all.find((one) => one.id === id);
      return snapshot ? { snapshot } : {};
    },
    example: 'vauban snapshot create web-1 before-upgrade --wait',
  },
  deleteSnapshot: {
    question: (session, { ids }) => deletion(session, 'Delete this snapshot? This cannot be undone.', ids),
    example: 'vauban snapshot delete web-1 before-upgrade',
  },
} satisfies Specs;
