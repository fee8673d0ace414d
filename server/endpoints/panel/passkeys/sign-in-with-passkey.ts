import { lockPerson } from '../../../db/queries/access/people.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { completeSignIn } from '../session/complete-sign-in.ts';
import { SignInShape } from '../session/sign-in-shape.ts';
import { countPasskeySignIn, PasskeyResponse, usePasskey } from './use-passkey.ts';

export const signInWithPasskey = endpoint({
  audience: 'panel',
  operation: 'signInWithPasskey',
  method: 'POST',
  path: '/sign-in/passkey',
  access: 'public',
  tag: 'session',
  summary: 'Sign in with a passkey',
  description: 'Counts as both factors, because the authenticator has verified its owner.',
  body: Input({ response: PasskeyResponse }),
  data: SignInShape,
  errors: ['sign_in_failed'],
  async prepare({ body, browser, services }) {
    await countPasskeySignIn(services, browser);
    return usePasskey(services, browser, body.response);
  },
  async handle(context) {
    const person = await lockPerson(context.db, context.prepared.personId);
    return { data: await completeSignIn(context, person!, 'passkey') };
  },
});
