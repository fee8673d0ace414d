import type { ShareRow } from '../../../db/queries/vms/console-shares.ts';
import { Enum, Id, Nullable, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const SHARE_MODES = ['read_only', 'read_write'] as const;

export const shareFields = {
  id: Id('shr'),
  mode: Enum(SHARE_MODES, { $id: 'ShareMode', description: '`read_write` lets viewers type' }),
  label: Nullable(Type.String()),
  max_viewers: Type.Integer({ description: 'Maximum number of simultaneous viewers' }),
  expires_at: Timestamp(),
  created_at: Timestamp(),
};

export function presentShare({ id, mode, label, max_viewers, expires_at, created_at }: ShareRow) {
  return { id, mode, label, max_viewers, expires_at, created_at };
}

export const exampleShare = {
  id: 'shr_01ke1y9x6v2z8b0d4f6h8k0m2p',
  mode: 'read_only',
  label: 'for support',
  max_viewers: 10,
  expires_at: '2026-01-05T11:00:00.000Z',
  created_at: '2026-01-05T10:00:00.000Z',
};
