import type { Migration } from '../migrate.ts';
import { sealed, sealedAs, unsealed } from './0056-sealed-vms.ts';
import { TERMS_WITH_ADD_ONS } from './0062-add-ons.ts';

/** The columns that say why a VM is slow or off. They are newer than the seal of VMs. */
const SUSPENSIONS = ['debt_suspended_at', 'throttle_mbps', 'throttle_cause'];

/**
 * Seals a VM's throttle and its suspension for a debt together with its sale, and a wallet's record of a warning and a
 * grace. Records since when a payment is unknown to its provider, so that it ends.
 */
export const suspensionsAndMissingPayments: Migration = {
  name: '0063-suspensions-and-missing-payments',
  up: `
${sealedAs('vms', 'terms_of_vm', [...TERMS_WITH_ADD_ONS, ...SUSPENSIONS])}
${sealed('wallets', 'terms_of_wallet', ['account_id', 'grace_began_at', 'debt_warned_at'])}
-- Since when the provider of a payment that it was working on says that there is none; null while it knows it.
alter table top_ups add column missing_since timestamptz;
`,
  down: `
alter table top_ups drop column missing_since;
${unsealed('wallets', 'terms_of_wallet')}
${sealedAs('vms', 'terms_of_vm', TERMS_WITH_ADD_ONS)}
`,
};
