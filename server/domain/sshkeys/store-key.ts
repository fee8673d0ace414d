import type { Transaction } from '../../db/database.ts';
import { lockWallet } from '../../db/queries/money/wallets.ts';
import {
  countSshKeys,
  findSshKeyByFingerprint,
  insertSshKey,
  type SshKeyRow,
} from '../../db/queries/vms/ssh-keys.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { accountLimits, requireBelow } from '../vms/quotas.ts';
import type { PublicKey } from './public-key.ts';

export interface NewSshKey extends PublicKey {
  account_id: string;
  name: string;
}

/**
 * Stores a key for later use. Throws `ssh_key_exists` if the account already has it, and `quota_exceeded` if it would
 * be one too many. The wallet's lock serializes both checks.
 */
export async function storeSshKey(
  db: Transaction,
  { clock, catalog }: { clock: Clock; catalog: Catalog },
  key: NewSshKey,
): Promise<SshKeyRow> {
  await lockWallet(db, key.account_id);
  const existing = await findSshKeyByFingerprint(db, key.account_id, key.fingerprint);
  if (existing) {
    const message = `The key is already stored as ${existing.name}.`;
    throw new ApiError('ssh_key_exists', message, { existing_id: existing.id });
  }
  const limits = await accountLimits(db, catalog, key.account_id);
  requireBelow('ssh_keys', limits.ssh_keys, await countSshKeys(db, key.account_id));
  const row: SshKeyRow = { ...key, id: newId('key', clock), created_at: clock.now() };
  await insertSshKey(db, row);
  return row;
}
