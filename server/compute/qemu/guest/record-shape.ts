import { Type } from '../../../platform/schema.ts';
import { checkOf } from '../../../platform/strict-shapes.ts';
import type { GuestRecord } from './guest.ts';

const Text = Type.String();
const Count = Type.Integer({ minimum: 1 });

/**
 * The fields that every record has had from the first version. Later fields may be missing, and unknown ones are
 * allowed.
 */
const RecordShape = Type.Object({
  id: Text,
  uuid: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
  hostname: Text,
  template: Text,
  user: Text,
  mac: Text,
  addresses: Type.Array(Type.Object({ address: Text, gateway: Text })),
  vcpu: Count,
  ramMb: Count,
  diskGb: Count,
  snapshots: Type.Object({}),
  policy: Type.Unsafe<object | null>({ type: ['object', 'null'] }),
  run: Type.Unsafe<object | null>({ type: ['object', 'null'] }),
  happenings: Type.Array(Type.Object({ key: Text, at: Text })),
});

/** Throws naming the first field that differs from what the driver writes: a truncated record may still be valid JSON. */
export const checkRecord: (value: unknown) => asserts value is GuestRecord =
  checkOf<GuestRecord>(RecordShape);
