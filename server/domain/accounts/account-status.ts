import type { Transaction } from '../../db/database.ts';
import { findAccount, lockAccount, setAccountStatus } from '../../db/queries/access/accounts.ts';
import { listKeys, revokeKey } from '../../db/queries/access/api-keys.ts';
import { rightsOfMembers } from '../../db/queries/access/memberships.ts';
import { lockWallet } from '../../db/queries/money/wallets.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { toJsonInteger } from '../billing/money.ts';

/**
 * Refuses a closed account. Locks the account until the transaction ends, so that it cannot be closed in the meantime.
 */
export async function requireOpen(tx: Transaction, accountId: string): Promise<void> {
  if ((await lockAccount(tx, accountId)) === 'closed') throw closed();
}

const closed = () =>
  new ApiError('invalid_state', 'The account is closed.', {
    status: 'closed',
    allowed: ['active', 'suspended'],
  });

/**
 * For money that an operator books: refuses a closed account, unless it still has a debt, which may be paid at any
 * time. Locks the wallet until the transaction ends.
 */
export async function requireOpenOrOwing(tx: Transaction, accountId: string): Promise<void> {
  if (
    (await lockAccount(tx, accountId)) === 'closed' &&
    (await lockWallet(tx, accountId)).claimed_minor === 0n
  )
    throw closed();
}

/**
 * Suspends an account, or lifts its suspension. From the next second on, its keys may only read. Returns the ids of its
 * keys, its people and their sessions, whose consoles and agent runs end with the suspension.
 */
export async function setSuspended(
  tx: Transaction,
  accountId: string,
  suspended: boolean,
): Promise<{ rightIds: string[] }> {
  await requireOpen(tx, accountId);
  await setAccountStatus(tx, accountId, suspended ? 'suspended' : 'active');
  return { rightIds: await rightsOf(tx, accountId) };
}

/**
 * Closes an account permanently and revokes its keys. Refuses if VMs, money or a debt are left. The account's history
 * and payments stay on the books.
 */
export async function closeAccount(
  tx: Transaction,
  clock: Clock,
  accountId: string,
): Promise<{ rightIds: string[] }> {
  await requireOpen(tx, accountId);
  await lockWallet(tx, accountId);
  const { vm_count, available_minor, held_minor, claimed_minor } = (await findAccount(tx, accountId))!;
  if (vm_count > 0n || available_minor + held_minor + claimed_minor > 0n)
    throw new ApiError(
      'invalid_state',
      'The account still has VMs, money or a debt. Delete the VMs, debit or revoke the money, or credit the debt first.',
      {
        vm_count: Number(vm_count),
        balance_minor: toJsonInteger(available_minor + held_minor),
        claimed_minor: toJsonInteger(claimed_minor),
      },
    );
  const ended = await rightsOf(tx, accountId);
  for (const { id } of await listKeys(tx, accountId)) await revokeKey(tx, id, clock.now());
  await setAccountStatus(tx, accountId, 'closed');
  return { rightIds: ended };
}

/** Returns the ids of everything that depends on the account being open: keys, people, sessions. */
async function rightsOf(tx: Transaction, accountId: string): Promise<string[]> {
  const keys = await listKeys(tx, accountId);
  return [...keys.map(({ id }) => id), ...(await rightsOfMembers(tx, accountId))];
}
