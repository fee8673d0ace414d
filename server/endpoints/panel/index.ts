import type { PanelEndpoint } from '../../http/endpoint.ts';
import { closeAccount } from './account/close-account.ts';
import { listAudit } from './audit/list-audit.ts';
import { createKey } from './keys/create-key.ts';
import { listKeys } from './keys/list-keys.ts';
import { listScopes } from './keys/list-scopes.ts';
import { revokeKey } from './keys/revoke-key.ts';
import { streamChanges } from './live/stream-changes.ts';
import { acceptInvitation } from './members/accept-invitation.ts';
import { changeMemberRole } from './members/change-member-role.ts';
import { inviteMember } from './members/invite-member.ts';
import { listMembers } from './members/list-members.ts';
import { removeMember } from './members/remove-member.ts';
import { showInvitation } from './members/show-invitation.ts';
import { cancelTopUp } from './money/cancel-top-up.ts';
import { getAutoTopUp } from './money/get-auto-top-up.ts';
import { getBillingProfile } from './money/get-billing-profile.ts';
import { getDebt } from './money/get-debt.ts';
import { getStatement } from './money/get-statement.ts';
import { getTopUp } from './money/get-top-up.ts';
import { listPaymentProviders } from './money/list-payment-providers.ts';
import { listTopUps } from './money/list-top-ups.ts';
import { removePaymentMethod } from './money/remove-payment-method.ts';
import { setAutoTopUp } from './money/set-auto-top-up.ts';
import { setBillingProfile } from './money/set-billing-profile.ts';
import { startTopUp } from './money/start-top-up.ts';
import { addPasskey } from './passkeys/add-passkey.ts';
import { beginPasskey } from './passkeys/begin-passkey.ts';
import { beginPasskeySignIn } from './passkeys/begin-passkey-sign-in.ts';
import { listPasskeys } from './passkeys/list-passkeys.ts';
import { removePasskey } from './passkeys/remove-passkey.ts';
import { signInWithPasskey } from './passkeys/sign-in-with-passkey.ts';
import { beginTotp } from './person/begin-totp.ts';
import { changeEmail } from './person/change-email.ts';
import { changePassword } from './person/change-password.ts';
import { confirmTotp } from './person/confirm-totp.ts';
import { removeTotp } from './person/remove-totp.ts';
import { renewRecoveryCodes } from './person/renew-recovery-codes.ts';
import { updateProfile } from './person/update-profile.ts';
import { completeSignUp } from './session/complete-sign-up.ts';
import { confirmSession } from './session/confirm-session.ts';
import { getSession } from './session/get-session.ts';
import { listSessions } from './session/list-sessions.ts';
import { requestPasswordReset } from './session/request-password-reset.ts';
import { resetPasswordByMail } from './session/reset-password-by-mail.ts';
import { revokeSession } from './session/revoke-session.ts';
import { showLink } from './session/show-link.ts';
import { signIn } from './session/sign-in.ts';
import { signInByLink } from './session/sign-in-by-link.ts';
import { signInSecondFactor } from './session/sign-in-second-factor.ts';
import { signInWithRecoveryCode } from './session/sign-in-with-recovery-code.ts';
import { signOut } from './session/sign-out.ts';
import { signUp } from './session/sign-up.ts';
import { switchAccount } from './session/switch-account.ts';
import { verifyEmail } from './session/verify-email.ts';
import { getPublicPrices } from './site/get-public-prices.ts';
import { getSite } from './site/get-site.ts';
import { createCustomVm } from './vms/create-custom-vm.ts';
import { rebuildVm } from './vms/rebuild-vm.ts';
import { restoreSnapshot } from './vms/restore-snapshot.ts';

/** Every operation that only the panel has, in the order of its description. */
export const PANEL_ENDPOINTS: readonly PanelEndpoint[] = [
  getSite,
  getPublicPrices,
  signUp,
  showLink,
  completeSignUp,
  verifyEmail,
  signIn,
  signInSecondFactor,
  signInWithRecoveryCode,
  beginPasskeySignIn,
  signInWithPasskey,
  signInByLink,
  requestPasswordReset,
  resetPasswordByMail,
  getSession,
  switchAccount,
  confirmSession,
  signOut,
  listSessions,
  revokeSession,
  updateProfile,
  changePassword,
  changeEmail,
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
  listPasskeys,
  beginPasskey,
  addPasskey,
  removePasskey,
  listScopes,
  listKeys,
  createKey,
  revokeKey,
  listMembers,
  inviteMember,
  changeMemberRole,
  removeMember,
  showInvitation,
  acceptInvitation,
  listAudit,
  closeAccount,
  restoreSnapshot,
  createCustomVm,
  rebuildVm,
  streamChanges,
  listPaymentProviders,
  startTopUp,
  getTopUp,
  cancelTopUp,
  listTopUps,
  getDebt,
  getAutoTopUp,
  setAutoTopUp,
  removePaymentMethod,
  getStatement,
  getBillingProfile,
  setBillingProfile,
];
