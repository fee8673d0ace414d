import { DEVICE_DAYS } from '../../../access/realms.ts';
import type { ActiveSession } from '../../../access/sessions.ts';
import type { Transaction } from '../../../db/database.ts';
import { knowsDevice } from '../../../db/queries/access/audit-entries.ts';
import type { PersonRow } from '../../../db/queries/access/people.ts';
import { deleteSession } from '../../../db/queries/access/sessions.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { startSession } from '../../../domain/people/start-session.ts';
import type { Browser } from '../../../http/panel/browser.ts';
import type { PanelServices } from '../../../http/services.ts';
import { localeOf } from '../../../mail/content.ts';
import { enqueueMail } from '../../../mail/outbox.ts';
import { deviceOf } from '../shared/device.ts';
import { rememberDevice } from '../shared/known-device.ts';
import { securityPage } from '../shared/mails.ts';

const DAY_MS = 86_400_000;

export interface SignInContext {
  db: Transaction;
  services: PanelServices;
  browser: Browser;
  /** The browser's previous session, which ends because it is no longer needed. */
  session: ActiveSession | undefined;
}

export type SignInMethod =
  | 'password'
  | 'totp'
  | 'recovery_code'
  | 'passkey'
  | 'link'
  | 'invitation'
  | 'sign_up';

/** Signs in a person who has provided every required proof, and mails them if the device is new. */
export async function completeSignIn(
  context: SignInContext,
  person: PersonRow,
  method: SignInMethod,
): Promise<{ next: 'signed_in' }> {
  const { db, services, browser } = context;
  const { clock } = services;
  const { ip, userAgent } = browser;
  const since = new Date(clock.now().getTime() - DEVICE_DAYS * DAY_MS);
  const known = await knowsDevice(db, person.id, userAgent, since);
  await endSession(context);
  const made = await startSession(db, services, { personId: person.id, stage: 'signed_in', ip, userAgent });
  browser.keepSession(db, made.token);
  await rememberDevice(db, services, browser, person.id);
  await recordAudit(db, clock, {
    accountId: made.accountId,
    personId: person.id,
    action: 'person.signed_in',
    subjectId: made.id,
    details: { method, user_agent: userAgent },
    ip,
  });
  if (known.before && !known.device) {
    const values = {
      at: clock.now().toISOString(),
      ip,
      device: deviceOf(userAgent),
      url: securityPage(services),
    };
    const mail = {
      to: person.email,
      template: 'new_device' as const,
      locale: localeOf(person.locale),
      values,
    };
    await enqueueMail(db, services, mail);
  }
  return { next: 'signed_in' };
}

/** Requires the second factor from a person who has entered their password. */
export async function askForSecondFactor(
  context: SignInContext,
  person: PersonRow,
): Promise<{ next: 'second_factor' }> {
  const { db, services, browser } = context;
  const { ip, userAgent } = browser;
  await endSession(context);
  const made = await startSession(db, services, {
    personId: person.id,
    stage: 'second_factor',
    ip,
    userAgent,
  });
  browser.keepSession(db, made.token);
  return { next: 'second_factor' };
}

async function endSession({ db, services, session }: SignInContext): Promise<void> {
  if (!session) return;
  await deleteSession(db, session.personId, session.id);
  await services.signals.accessEnded(db, session.id);
}
