import type { Migration } from '../migrate.ts';
import { sealed, TERMS, unsealed } from './0056-sealed-vms.ts';

/** Why a VM is slow or off, which came after the seal of VMs. */
const SUSPENSIONS = ['debt_suspended_at', 'throttle_mbps', 'throttle_cause'];

/** A VM's throttle and its suspension for a debt are sealed with what was sold, and so are the notes of a wallet about both graces. */
export const sealedSuspensions: Migration = {
  name: '0063-sealed-suspensions',
  up: `
${unsealed('vms', 'terms_of_vm')}
${sealed('vms', 'terms_of_vm', [...TERMS, ...SUSPENSIONS])}
${sealed('wallets', 'terms_of_wallet', ['account_id', 'grace_began_at', 'debt_warned_at'])}
`,
  down: `
${unsealed('wallets', 'terms_of_wallet')}
${unsealed('vms', 'terms_of_vm')}
${sealed('vms', 'terms_of_vm', TERMS)}
`,
};
