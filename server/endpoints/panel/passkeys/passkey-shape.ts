import type { PasskeyRow } from '../../../db/queries/passkeys.ts';
import { Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const PasskeyShape = Shape(
  {
    id: Id('psk'),
    name: Type.String(),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp()),
  },
  { $id: 'Passkey', description: 'A key in a device or a password manager that signs in' },
);

export const presentPasskey = ({ id, name, created_at, last_used_at }: PasskeyRow) => ({
  id,
  name,
  created_at,
  last_used_at,
});
