import type { SnapshotRow } from '../../../db/queries/vms/snapshots.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Count, Enum, Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const SnapshotShape = Shape(
  {
    id: Id('snap'),
    name: Type.String(),
    description: Nullable(Type.String()),
    status: Enum(['creating', 'available', 'deleting', 'error'], {
      $id: 'SnapshotStatus',
    }),
    size_bytes: Nullable(Count('Size; null until it has been taken')),
    includes_memory: Type.Boolean({
      description: 'True if it contains the memory of the running guest in addition to its disk',
    }),
    created_at: Timestamp(),
  },
  { $id: 'Snapshot', description: 'A snapshot of a VM' },
);

export function presentSnapshot(snapshot: SnapshotRow) {
  return {
    id: snapshot.id,
    name: snapshot.name,
    description: snapshot.description,
    status: snapshot.status,
    size_bytes: snapshot.size_bytes === null ? null : toJsonInteger(snapshot.size_bytes),
    includes_memory: snapshot.includes_memory,
    created_at: snapshot.created_at,
  };
}

export const exampleSnapshot = {
  id: 'snap_01ke1y9x6v2z8b0d4f6h8k0m2p',
  name: 'before-upgrade',
  description: null,
  status: 'creating',
  size_bytes: null,
  includes_memory: false,
  created_at: '2026-01-05T10:00:00.000Z',
};
