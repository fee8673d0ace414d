import { mayMail } from '../../../access/mail-limits.ts';
import type { Transaction } from '../../../db/database.ts';
import type { PersonRow } from '../../../db/queries/access/people.ts';
import { issueMailToken, type NewMailToken } from '../../../domain/people/mail-tokens.ts';
import type { Browser } from '../../../http/panel/browser.ts';
import type { PanelServices } from '../../../http/services.ts';
import { localeOf } from '../../../mail/content.ts';
import { enqueueMail } from '../../../mail/outbox.ts';
import type { SecurityChangeValues } from '../../../mail/templates/people.ts';
import { knownDeviceFor } from './known-device.ts';

/** The page of each link. The link's secret follows a `#`, which browsers do not send. */
const PAGES = {
  verify_email: 'verify-email',
  change_email: 'verify-email',
  reset_password: 'reset-password',
} as const;

/**
 * Returns whether to send a mail that was requested by someone who has not signed in. Refuses too many requests from
 * one network with 429, except on a device that is known for the address, because its owner is not responsible for the
 * other people in the network.
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

/** Mails a link that proves its reader to be the owner of the address. */
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

/** Notifies the owner of an address that someone wanted to create an account with it, or to change to it. */
export function mailAlreadySignedUp(
  tx: Transaction,
  services: PanelServices,
  { email, locale }: Pick<PersonRow, 'email' | 'locale'>,
): Promise<void> {
  const mail = { to: email, template: 'already_signed_up' as const, values: {} };
  return enqueueMail(tx, services, { ...mail, locale: localeOf(locale) });
}

/** Returns the address of a page, with a secret that only the page reads. */
export const linkTo = ({ site }: PanelServices, page: string, token: string) =>
  `${site.panelUrl}/${page}#${token}`;

/** Returns the page on which people see their sessions and their ways to sign in. */
export const securityPage = ({ site, realm }: PanelServices) =>
  realm.realm === 'operator' ? `${site.operatorUrl}/security` : `${site.panelUrl}/account/security`;

/** Notifies a person of a change to their sign-in, in case someone else made it. */
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
