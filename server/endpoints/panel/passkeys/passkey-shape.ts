import type { PasskeyRow } from '../../../db/queries/access/passkeys.ts';
import { Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const PasskeyShape = Shape(
  {
    id: Id('psk'),
    name: Type.String(),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp()),
  },
  { $id: 'Passkey', description: 'A sign-in key stored on a device or in a password manager' },
);

export const presentPasskey = ({ id, name, created_at, last_used_at }: PasskeyRow) => ({
  id,
  name,
  created_at,
  last_used_at,
});
