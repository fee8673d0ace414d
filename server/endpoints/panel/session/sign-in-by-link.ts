import { useMailToken } from '../../../domain/people/mail-tokens.ts';
import { startSession } from '../../../domain/people/start-session.ts';
import { Input } from '../../../http/schemas.ts';
import { panelEndpoint } from '../../../panel/endpoint.ts';
import { LinkToken, SignInShape } from './sign-in-shape.ts';

export const signInByLink = panelEndpoint({
  operation: 'signInByLink',
  method: 'POST',
  path: '/sign-in/link',
  access: 'public',
  tag: 'session',
  summary: 'Sign in once by a link of the operator',
  description:
    'The link stands for every factor: it is how the operator lets somebody in who has lost theirs.',
  body: Input({ token: LinkToken }),
  data: SignInShape,
  errors: ['link_invalid'],
  async handle({ body, db, browser, services }) {
    const { person_id } = await useMailToken(db, services, 'sign_in_link', body.token);
    const { ip, userAgent } = browser;
    const session = await startSession(db, services, {
      personId: person_id!,
      stage: 'signed_in',
      ip,
      userAgent,
    });
    browser.keepSession(db, session.token);
    return { data: { next: 'signed_in' } };
  },
});
