import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { countPasskeySignIn, PasskeyOptions, rememberChallenge, webauthn } from './use-passkey.ts';

export const beginPasskeySignIn = endpoint({
  audience: 'panel',
  operation: 'beginPasskeySignIn',
  method: 'POST',
  path: '/sign-in/passkey/options',
  access: 'public',
  tag: 'session',
  summary: 'Options for signing in with a passkey',
  description: 'Valid once, for five minutes, for a sign-in or for confirmSession.',
  data: Shape({ options: PasskeyOptions }),
  errors: [],
  async prepare({ browser, services }) {
    await countPasskeySignIn(services, browser);
    const { generateAuthenticationOptions } = await webauthn();
    const options = await generateAuthenticationOptions({
      rpID: browser.origin.hostname,
      userVerification: 'required',
    });
    await rememberChallenge(services, options.challenge, null);
    return options as unknown as Record<string, unknown>;
  },
  async handle({ prepared }) {
    return { data: { options: prepared } };
  },
});
