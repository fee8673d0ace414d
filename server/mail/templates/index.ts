import type { Template } from '../content.ts';
import * as people from './people.ts';

/** Every mail that the service writes, by its name in the outbox. A name that has been used stays what it is. */
export const TEMPLATES = {
  verify_email: people.verifyEmail,
  already_signed_up: people.alreadySignedUp,
  reset_password: people.resetPassword,
  invitation: people.invitation,
  sign_in_link: people.signInLink,
  change_email: people.changeEmail,
  new_device: people.newDevice,
  security_change: people.securityChange,
  key_expiry: people.keyExpiry,
} as const;

export type TemplateName = keyof typeof TEMPLATES;
/** What each template is filled in with. */
export type TemplateValues = {
  [N in TemplateName]: (typeof TEMPLATES)[N] extends Template<infer Values> ? Values : never;
};
