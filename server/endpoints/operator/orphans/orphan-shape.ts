import type { OrphanRow } from '../../../db/queries/hosts/orphans.ts';
import { Nullable, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const orphanFields = {
  id: Type.String({ description: 'Identifier of the guest' }),
  engine: Type.String({ description: 'The engine that has it' }),
  vcpu: Nullable(Type.Integer({ description: 'Its size; null if unknown' })),
  ram_mb: Nullable(Type.Integer()),
  disk_gb: Nullable(Type.Integer()),
  addresses: Type.Array(Type.String(), { description: 'Its addresses' }),
  found_at: Timestamp(),
};

export function presentOrphan({ guest_id, engine, vcpu, ram_mb, disk_gb, addresses, found_at }: OrphanRow) {
  return { id: guest_id, engine, vcpu, ram_mb, disk_gb, addresses, found_at };
}
