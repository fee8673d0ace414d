import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { insertPasskey, listPasskeys, type PasskeyRow } from '../../../db/queries/access/passkeys.ts';
import { lockPerson } from '../../../db/queries/access/people.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import type { Browser } from '../../../http/panel/browser.ts';
import { Input, Name } from '../../../http/schemas.ts';
import type { PanelServices } from '../../../http/services.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { mailSecurityChange } from '../shared/mails.ts';
import { PasskeyShape, presentPasskey } from './passkey-shape.ts';
import { PasskeyResponse, useChallenge, webauthn } from './use-passkey.ts';

/** More devices than anyone has. */
const MOST_PASSKEYS = 20;

export const addPasskey = endpoint({
  audience: 'panel',
  operation: 'addPasskey',
  method: 'POST',
  path: '/person/passkeys',
  access: 'person',
  confirm: true,
  tag: 'person',
  summary: 'Store a new passkey',
  body: Input({ name: Name('Laptop'), response: PasskeyResponse }),
  data: PasskeyShape,
  errors: ['quota_exceeded'],
  prepare: ({ body, session, browser, services }) =>
    verify(services, browser, session.personId, body.response),
  async handle({ db, body, session, browser, services, prepared: credential, now }) {
    const person = await lockPerson(db, session.personId);
    const used = (await listPasskeys(db, session.personId)).length;
    if (used >= MOST_PASSKEYS)
      throw new ApiError('quota_exceeded', `The maximum of ${used} passkeys is reached.`, {
        resource: 'passkeys',
        limit: MOST_PASSKEYS,
        used,
      });
    const passkey: PasskeyRow = {
      id: newId('psk', services.clock),
      person_id: session.personId,
      name: body.name.trim(),
      created_at: now,
      last_used_at: null,
      ...credential,
    };
    if (!(await insertPasskey(db, passkey)))
      throw invalidField('response', 'in_use', 'belongs to a passkey that is already stored');
    await recordAudit(db, services.clock, {
      accountId: session.place?.accountId ?? null,
      personId: session.personId,
      action: 'passkey.added',
      subjectId: passkey.id,
      ip: browser.ip,
    });
    await mailSecurityChange(db, services, person!, 'passkey_added', browser);
    return { data: presentPasskey(passkey) };
  },
});

type Credential = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports'>;

async function verify(
  services: PanelServices,
  { origin }: Browser,
  personId: string,
  response: Record<string, unknown>,
): Promise<Credential> {
  const { verifyRegistrationResponse } = await webauthn();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: (challenge) => useChallenge(services, challenge, personId),
      expectedOrigin: origin.origin,
      expectedRPID: origin.hostname,
      requireUserVerification: true,
    });
    if (verified) {
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      return { credential_id: id, public_key: publicKey, counter: BigInt(counter), transports };
    }
  } catch (error) {
    services.logger.info({ err: error }, 'passkey refused');
  }
  throw invalidField('response', 'incorrect', 'is not a valid response of the passkey, or came too late');
}
