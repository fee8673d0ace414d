import type { TopUpRow } from '../db/queries/money/top-ups.ts';
import { newReference } from './bank-transfer.ts';

/** The fields that every top-up has from the beginning. */
type Given = Pick<TopUpRow, 'id' | 'account_id' | 'provider' | 'amount_minor' | 'currency' | 'created_at'>;

/** Returns a pending top-up started by a person; fields that are not given are still unknown. */
export function newTopUp(given: Given & Partial<TopUpRow>): TopUpRow {
  return {
    cause: 'person',
    status: 'pending',
    reference: given.reference ?? newReference(),
    provider_ref: null,
    keep_method: false,
    payment_method_id: null,
    error: null,
    payment_id: null,
    principal_id: null,
    expires_at: null,
    settled_at: null,
    retry_at: null,
    recheck_at: null,
    missing_since: null,
    session_ref: null,
    sealed_page: null,
    ...given,
  };
}
