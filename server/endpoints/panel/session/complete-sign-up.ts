import { requireGoodPassword } from '../../../access/passwords.ts';
import { findPersonByEmail } from '../../../db/queries/access/people.ts';
import { createPerson } from '../../../domain/people/create-person.ts';
import { acceptInvitation, requireInvitation } from '../../../domain/people/invitations.ts';
import { linkInvalid, peekMailToken, useMailToken } from '../../../domain/people/mail-tokens.ts';
import { welcome } from '../../../domain/people/welcome.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import type { PanelServices } from '../../../http/services.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { Locale, NewPassword, PersonName } from '../shared/inputs.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { LinkToken, SignInShape } from './sign-in-shape.ts';

export const completeSignUp = endpoint({
  audience: 'panel',
  operation: 'completeSignUp',
  method: 'POST',
  path: '/sign-up/complete',
  access: 'public',
  tag: 'session',
  summary: 'Sign up with the link of a mail',
  description:
    'Creates the person, with an account of their own or as a member of the account that an invitation is for, and ' +
    'signs them in. The password is chosen here, so that no one who merely knows the address can set one.',
  body: Input({
    token: LinkToken,
    password: NewPassword,
    name: Type.Optional(PersonName),
    locale: Type.Optional(Locale),
  }),
  data: SignInShape,
  errors: ['sign_up_closed', 'link_invalid', 'invalid_state'],
  async prepare({ body, services }) {
    // Before the password is hashed, which is slow: only the holder of a link can cause that.
    const { purpose, email } = await peekMailToken(
      services.db,
      services,
      ['verify_email', 'invitation'],
      body.token,
    );
    const isInvited = purpose === 'invitation';
    requireSignUp(services, { isInvited });
    // If the address is taken, its link stays unused, so it must not allow unlimited hashing of passwords.
    if (!isInvited && (await findPersonByEmail(services.db, email))) throw linkInvalid('taken');
    requireGoodPassword(body.password, email);
    return { isInvited, email, passwordHash: await services.passwords.hash(body.password) };
  },
  async handle(context) {
    const { db, body, services, browser, prepared } = context;
    const { isInvited, email, passwordHash } = prepared;
    const { token, name = '', locale = services.brand.languages[0] ?? 'en' } = body;
    const newcomer = { email, name: name.trim(), locale, passwordHash };
    if (isInvited) {
      await requireInvitation(db, services, token);
      const person = await createPerson(db, services.clock, { ...newcomer, verified: true });
      await acceptInvitation(db, services, { token, personId: person.id, ip: browser.ip });
      return { data: await completeSignIn(context, person, 'invitation') };
    }
    // If several people sign up with the same address, `welcome` decides who is first before the link is used up.
    const person = await welcome(db, services, newcomer, browser.ip);
    await useMailToken(db, services, 'verify_email', token);
    return { data: await completeSignIn(context, person, 'sign_up') };
  },
});

/** Refuses anyone if sign-up is closed, and anyone without an invitation if sign-up requires one. */
export function requireSignUp(
  { brand: { signUp } }: PanelServices,
  { isInvited }: { isInvited: boolean },
): void {
  if (signUp === 'open' || (signUp === 'invitation' && isInvited)) return;
  throw new ApiError('sign_up_closed', CLOSED[signUp]);
}

const CLOSED = {
  closed: 'Sign-up is closed. Ask the operator for an account.',
  invitation: 'You need an invitation to sign up.',
};
