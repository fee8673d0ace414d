import { lockPerson } from '../../../db/queries/access/people.ts';
import { linkInvalid, peekMailToken, useMailToken } from '../../../domain/people/mail-tokens.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { LinkToken, SignInShape } from './sign-in-shape.ts';

export const signInByLink = endpoint({
  audience: 'panel',
  operation: 'signInByLink',
  method: 'POST',
  path: '/sign-in/link',
  access: 'public',
  tag: 'session',
  summary: 'Sign in once with a link from the operator',
  description: 'The link replaces all factors, so that the operator can help people who have lost theirs.',
  body: Input({ token: LinkToken }),
  data: SignInShape,
  errors: ['link_invalid'],
  async handle(context) {
    const { db, body, services } = context;
    const link = await peekMailToken(db, services, ['sign_in_link'], body.token);
    const person = await lockPerson(db, link.person_id!);
    if (person?.realm !== services.realm.realm) throw linkInvalid('unknown');
    await useMailToken(db, services, 'sign_in_link', body.token);
    return { data: await completeSignIn(context, person, 'link') };
  },
});
