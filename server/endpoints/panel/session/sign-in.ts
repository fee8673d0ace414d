import { giveSignInBack, takeSignIn } from '../../../access/sign-in-limits.ts';
import { findPersonByEmail, lockPerson } from '../../../db/queries/access/people.ts';
import { findTotp } from '../../../db/queries/access/totps.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Email, Password } from '../shared/inputs.ts';
import { knownDeviceFor } from '../shared/known-device.ts';
import { askForSecondFactor, completeSignIn } from './complete-sign-in.ts';
import { SignInShape } from './sign-in-shape.ts';

export const signIn = endpoint({
  audience: 'panel',
  operation: 'signIn',
  method: 'POST',
  path: '/sign-in',
  access: 'public',
  tag: 'session',
  summary: 'Sign in with a password',
  description: 'The response and its timing do not reveal whether the address or the password was wrong.',
  body: Input({ email: Email, password: Password }),
  data: SignInShape,
  errors: ['sign_in_failed'],
  async prepare({ body, browser, services }) {
    const { db, attempts, passwords, realm } = services;
    const email = body.email.trim();
    const device = await knownDeviceFor(services, browser, email);
    const attempt = { email, network: browser.network, device };
    await takeSignIn(attempts, attempt, WAYS_IN[realm.realm]);
    const person = await findPersonByEmail(db, email, realm.realm);
    const isRight = await passwords.verify(person?.password_hash ?? null, body.password);
    if (!person || !isRight) throw failed();
    await giveSignInBack(attempts, attempt);
    return person;
  },
  async handle(context) {
    const { db, prepared } = context;
    const person = await lockPerson(db, prepared.id);
    // The password has changed since it was checked: a replaced password must not work.
    if (!person || person.password_hash !== prepared.password_hash) throw failed();
    const totp = await findTotp(db, person.id);
    if (totp?.confirmed_at) return { data: await askForSecondFactor(context, person) };
    // A password is never enough for an operator, who needs a passkey or a new link.
    if (context.services.realm.realm === 'operator') throw failed();
    return { data: await completeSignIn(context, person, 'password') };
  },
});

/** The options for the owner of an address after strangers have used up the attempts for unknown devices. */
const WAYS_IN = {
  customer: ', use a device that you have signed in on before, or reset your password by mail',
  operator:
    ', use a passkey or a device that you have signed in on before, or create a new link on the server',
};

const failed = () => new ApiError('sign_in_failed', 'The address or the password is wrong.');
