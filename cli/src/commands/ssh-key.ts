import type { Specs } from '../command.ts';
import { deletion } from '../questions.ts';

export const sshKey = {
  getOpsKey: {
    example: 'vauban ssh-key ops',
  },
  listSshKeys: {
    columns: ['id', 'name', 'fingerprint', 'algorithm'],
    wide: ['created_at', 'public_key'],
    example: 'vauban ssh-key list',
  },
  addSshKey: {
    positional: ['name'],
    example: 'vauban ssh-key add laptop --public-key @$HOME/.ssh/id_ed25519.pub',
  },
  deleteSshKey: {
    question: (session, { ids }) =>
      deletion(session, 'Delete this SSH key? VMs that already have it keep it.', ids),
    example: 'vauban ssh-key delete laptop',
  },
} satisfies Specs;
