import type { PanelEndpoint } from '../../http/endpoint.ts';
import { addPasskey } from './passkeys/add-passkey.ts';
import { beginPasskey } from './passkeys/begin-passkey.ts';
import { beginPasskeySignIn } from './passkeys/begin-passkey-sign-in.ts';
import { listPasskeys } from './passkeys/list-passkeys.ts';
import { removePasskey } from './passkeys/remove-passkey.ts';
import { signInWithPasskey } from './passkeys/sign-in-with-passkey.ts';
import { beginTotp } from './person/begin-totp.ts';
import { changePassword } from './person/change-password.ts';
import { confirmTotp } from './person/confirm-totp.ts';
import { removeTotp } from './person/remove-totp.ts';
import { renewRecoveryCodes } from './person/renew-recovery-codes.ts';
import { confirmSession } from './session/confirm-session.ts';
import { getSession } from './session/get-session.ts';
import { listSessions } from './session/list-sessions.ts';
import { revokeSession } from './session/revoke-session.ts';
import { showLink } from './session/show-link.ts';
import { signIn } from './session/sign-in.ts';
import { signInByLink } from './session/sign-in-by-link.ts';
import { signInSecondFactor } from './session/sign-in-second-factor.ts';
import { signInWithRecoveryCode } from './session/sign-in-with-recovery-code.ts';
import { signOut } from './session/sign-out.ts';
import { getSite } from './site/get-site.ts';

/**
 * The operations for signing in as an operator and managing that sign-in: the panel's operations that concern a person
 * and no account. Operators neither sign up nor have a new password mailed: `vaubanctl operator` creates them on the
 * machine and gives them access again.
 */
export const OPERATOR_SIGN_IN: readonly PanelEndpoint[] = [
  getSite,
  signIn,
  signInSecondFactor,
  signInWithRecoveryCode,
  beginPasskeySignIn,
  signInWithPasskey,
  showLink,
  signInByLink,
  getSession,
  confirmSession,
  signOut,
  listSessions,
  revokeSession,
  changePassword,
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
  listPasskeys,
  beginPasskey,
  addPasskey,
  removePasskey,
];
