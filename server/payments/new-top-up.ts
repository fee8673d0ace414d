import type { TopUpRow } from '../db/queries/top-ups.ts';
import { newReference } from './bank-transfer.ts';

/** What every top-up has from its beginning. */
type Given = Pick<TopUpRow, 'id' | 'account_id' | 'provider' | 'amount_minor' | 'currency' | 'created_at'>;

/** Returns a top-up that is pending and that a person has started; what is not given is unknown yet. */
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
