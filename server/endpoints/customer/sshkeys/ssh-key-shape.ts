import type { SshKeyRow } from '../../../db/queries/vms/ssh-keys.ts';
import { Id, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const Fingerprint = Type.String({
  pattern: '^SHA256:[A-Za-z0-9+/]{43}$',
  'x-expected': 'SHA256: and 43 characters of base64, as `ssh-keygen -l` shows it',
  description: 'As `ssh-keygen -l` prints it',
  examples: ['SHA256:kZKBnwWOL6bmmK7AUzMrt/ruGiBWl4Lv0P8Jn+cjzUc'],
});

export const SshKeyShape = Shape(
  {
    id: Id('key'),
    name: Type.String(),
    fingerprint: Fingerprint,
    algorithm: Type.String({ description: 'Key type as SSH names it', examples: ['ssh-ed25519'] }),
    public_key: Type.String({ description: 'One line for authorized_keys: type, base64, comment' }),
    created_at: Timestamp(),
  },
  { $id: 'SshKey', description: 'A stored public key' },
);

export function presentSshKey({ id, name, fingerprint, algorithm, public_key, created_at }: SshKeyRow) {
  return { id, name, fingerprint, algorithm, public_key, created_at };
}

export const exampleSshKey = {
  id: 'key_01ke1xv0d5h8j2n4q6s7t9w3yb',
  name: 'anna',
  fingerprint: 'SHA256:kZKBnwWOL6bmmK7AUzMrt/ruGiBWl4Lv0P8Jn+cjzUc',
  algorithm: 'ssh-ed25519',
  public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHX+p2WnSSxkbWeHDJYY8nDPjsH/0XOoQB8AcZ5natd3 anna@laptop',
  created_at: '2026-01-05T09:12:00.000Z',
};
