import type { Transaction } from '../../db/database.ts';
import {
  findPromoCredit,
  insertPromoCredit,
  markRevoked,
  type PromoCreditRow,
  takeEndedPromo,
} from '../../db/queries/money/promo-credits.ts';
import { lockWallet, transfer, type WalletRow } from '../../db/queries/money/wallets.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { requireRoom } from '../accounts/book-payment.ts';

export interface PromoGrant {
  accountId: string;
  /** Must be more than zero. */
  amountMinor: bigint;
  /** The input field of the amount, for errors. */
  field: 'amount' | 'amount_minor';
  /** When the unused part of the credit expires. */
  until: Date;
  reason: string;
  actor: string;
}

interface Granted {
  credit: PromoCreditRow;
  wallet: WalletRow;
}

/** Gives an account promotional credit: `promo_expense → promo`. */
export async function grantPromo(tx: Transaction, clock: Clock, grant: PromoGrant): Promise<Granted> {
  const { accountId, amountMinor, field, until, reason, actor } = grant;
  const now = clock.now();
  const locked = await lockWallet(tx, accountId);
  if (until <= now) throw invalidField('until', 'in_the_past', 'must be in the future');
  requireRoom(locked, amountMinor, field);
  const credit: PromoCreditRow = {
    id: newId('prm', clock),
    account_id: accountId,
    amount_minor: amountMinor,
    remaining_minor: amountMinor,
    expires_at: until,
    revoked_at: null,
    reason,
    actor,
    created_at: now,
  };
  await insertPromoCredit(tx, credit);
  const given = { debit: 'promo_expense', credit: 'promo', reason: 'promo_grant' } as const;
  const wallet = await transfer(tx, { accountId, ...given, amountMinor, promoCreditId: credit.id, at: now });
  return { credit, wallet };
}

/**
 * Ends credit before its time, along with anything that orders return to it later. Revoking it again changes nothing.
 */
export async function revokePromo(tx: Transaction, clock: Clock, id: string): Promise<Granted> {
  const found = await findPromoCredit(tx, id);
  if (!found) throw notFound();
  await lockWallet(tx, found.account_id);
  const now = clock.now();
  await markRevoked(tx, id, now);
  const wallet = await endPromo(tx, found.account_id, now);
  return { credit: (await findPromoCredit(tx, id))!, wallet };
}

/**
 * Takes the unused part of an account's expired or revoked credit: `promo → promo_expense`. Returns the wallet
 * afterwards.
 */
export async function endPromo(tx: Transaction, accountId: string, at: Date): Promise<WalletRow> {
  let wallet = await lockWallet(tx, accountId);
  for (const { id, amount_minor, revoked } of await takeEndedPromo(tx, accountId, at)) {
    const ended = { debit: 'promo', credit: 'promo_expense', promoCreditId: id } as const;
    const reason = revoked ? 'promo_revoked' : 'promo_expired';
    wallet = await transfer(tx, { accountId, ...ended, amountMinor: amount_minor, reason, at });
  }
  return wallet;
}
