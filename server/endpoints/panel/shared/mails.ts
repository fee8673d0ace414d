import { mayMail } from '../../../access/mail-limits.ts';
import type { Transaction } from '../../../db/database.ts';
import type { PersonRow } from '../../../db/queries/people.ts';
import { issueMailToken, type NewMailToken } from '../../../domain/people/mail-tokens.ts';
import { localeOf } from '../../../mail/content.ts';
import { enqueueMail } from '../../../mail/outbox.ts';
import type { SecurityChangeValues } from '../../../mail/templates/people.ts';
import type { Browser } from '../../../panel/browser.ts';
import type { PanelServices } from '../../../panel/endpoint.ts';
import { knownDeviceFor } from './known-device.ts';

/** The page that each link leads to. Its secret stands behind a `#`, which browsers do not send. */
const PAGES = {
  verify_email: 'verify-email',
  change_email: 'verify-email',
  reset_password: 'reset-password',
} as const;

/**
 * Whether a mail is sent to an address because someone who has not signed in asks for it. Refuses with 429 what a network
 * asks for too often, except on a device that the address knows: other people in its network are not its owner's doing.
 */
export async function mayRequestMail(
  services: PanelServices,
  browser: Browser,
  purpose: 'sign_up' | 'reset',
  email: string,
): Promise<boolean> {
  const { attempts } = services;
  const { network } = browser;
  const device = await knownDeviceFor(services, browser, email);
  if (device === undefined) await attempts.take(`${purpose}_network`, network);
  return mayMail(attempts, { purpose, email, network, device });
}

/** Mails a link that proves who opens it to be the owner of the address. */
export async function mailLink(
  tx: Transaction,
  services: PanelServices,
  link: NewMailToken & { purpose: keyof typeof PAGES },
  locale: string,
): Promise<void> {
  const { token, expiresAt } = await issueMailToken(tx, services, link);
  await enqueueMail(tx, services, {
    to: link.email,
    template: link.purpose,
    locale: localeOf(locale),
    values: { url: linkTo(services, PAGES[link.purpose], token), expiresAt: expiresAt.toISOString() },
  });
}

/** Tells the owner of an address that somebody wanted an account, or a change of address, with it. */
export function mailAlreadySignedUp(
  tx: Transaction,
  services: PanelServices,
  { email, locale }: Pick<PersonRow, 'email' | 'locale'>,
): Promise<void> {
  const mail = { to: email, template: 'already_signed_up' as const, values: {} };
  return enqueueMail(tx, services, { ...mail, locale: localeOf(locale) });
}

/** The address of a page with a secret that only it reads. */
export const linkTo = ({ site }: PanelServices, page: string, token: string) =>
  `${site.panelUrl}/${page}#${token}`;

/** The page on which people see where they are signed in, and by what. */
export const securityPage = ({ site, realm }: PanelServices) =>
  realm.realm === 'operator' ? `${site.operatorUrl}/security` : `${site.panelUrl}/account/security`;

/** Notifies a person that how they sign in was changed, in case it was not them. */
export function mailSecurityChange(
  tx: Transaction,
  services: PanelServices,
  { email, locale }: Pick<PersonRow, 'email' | 'locale'>,
  what: SecurityChangeValues['what'],
  { ip }: Browser,
): Promise<void> {
  const values = { what, at: services.clock.now().toISOString(), ip, url: securityPage(services) };
  return enqueueMail(tx, services, {
    to: email,
    template: 'security_change',
    locale: localeOf(locale),
    values,
  });
}
