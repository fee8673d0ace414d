import type { Specs } from '../command.ts';
import { deletion } from '../questions.ts';

export const portForward = {
  listPortForwards: {
    columns: ['id', 'protocol', 'public_ip', 'external_port', 'internal_ip', 'internal_port', 'status'],
    wide: ['description', 'created_at'],
    example: 'vauban port-forward list web-1',
  },
  addPortForward: {
    example: 'vauban port-forward add web-1 --protocol tcp --external-port 20022 --internal-port 22',
  },
  deletePortForward: {
    question: (session, { ids }) => deletion(session, 'Delete this port forward?', ids),
    example: 'vauban port-forward delete web-1 20022',
  },
} satisfies Specs;
