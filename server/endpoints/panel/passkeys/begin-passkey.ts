import { listPasskeys } from '../../../db/queries/access/passkeys.ts';
import { findPerson } from '../../../db/queries/access/people.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { PasskeyOptions, rememberChallenge, webauthn } from './use-passkey.ts';

export const beginPasskey = endpoint({
  audience: 'panel',
  operation: 'beginPasskey',
  method: 'POST',
  path: '/person/passkeys/options',
  access: 'person',
  confirm: true,
  tag: 'person',
  summary: 'Options for creating a passkey',
  data: Shape({ options: PasskeyOptions }),
  errors: [],
  async prepare({ session, browser, services }) {
    const { db, brand } = services;
    const person = await findPerson(db, session.personId);
    if (!person) throw notFound();
    const known = await listPasskeys(db, person.id);
    const { generateRegistrationOptions } = await webauthn();
    const options = await generateRegistrationOptions({
      rpName: brand.name,
      rpID: browser.origin.hostname,
      userID: new Uint8Array(Buffer.from(person.id)),
      userName: person.email,
      userDisplayName: person.name || person.email,
      attestationType: 'none',
      excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await rememberChallenge(services, options.challenge, person.id);
    return options as unknown as Record<string, unknown>;
  },
  async handle({ prepared }) {
    return { data: { options: prepared } };
  },
});
