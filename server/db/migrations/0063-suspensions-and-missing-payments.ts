import type { Migration } from '../migrate.ts';
import { sealed, sealedAs, TERMS, unsealed } from './0056-sealed-vms.ts';

/** Why a VM is slow or off, which came after the seal of VMs. */
const SUSPENSIONS = ['debt_suspended_at', 'throttle_mbps', 'throttle_cause'];

/**
 * A VM's throttle and its suspension for a debt are sealed with what was sold, and so is what a wallet remembers of a warning and a
 * grace. Payments that their provider does not know any more have an end.
 */
export const suspensionsAndMissingPayments: Migration = {
  name: '0063-suspensions-and-missing-payments',
  up: `
${sealedAs('vms', 'terms_of_vm', [...TERMS, ...SUSPENSIONS])}
${sealed('wallets', 'terms_of_wallet', ['account_id', 'grace_began_at', 'debt_warned_at'])}
-- Since when the provider of a payment that it was working on says that there is none; null while it knows it.
alter table top_ups add column missing_since timestamptz;
`,
  down: `
alter table top_ups drop column missing_since;
${unsealed('wallets', 'terms_of_wallet')}
${sealedAs('vms', 'terms_of_vm', TERMS)}
`,
};
