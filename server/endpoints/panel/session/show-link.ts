import type { TokenPurpose } from '../../../db/queries/access/mail-tokens.ts';
import { findPerson, findPersonByEmail } from '../../../db/queries/access/people.ts';
import { linkInvalid, peekMailToken } from '../../../domain/people/mail-tokens.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { LinkToken } from './sign-in-shape.ts';

/** The links that showLink supports, with their purpose. showInvitation covers invitations. */
const PURPOSES = {
  verify_email: 'sign_up',
  change_email: 'change_email',
  reset_password: 'reset_password',
  sign_in_link: 'sign_in',
} as const satisfies Partial<Record<TokenPurpose, string>>;
type Purpose = keyof typeof PURPOSES;

export const showLink = endpoint({
  audience: 'panel',
  operation: 'showLink',
  method: 'POST',
  path: '/links/show',
  access: 'public',
  tag: 'session',
  summary: 'Get the purpose of a link before using it',
  description:
    'Available to anyone with the link, and without side effects. The page behind a link calls this first and acts only when its ' +
    'button is pressed.',
  body: Input({ token: LinkToken }),
  data: Shape(
    {
      purpose: Enum(Object.values(PURPOSES), { description: 'Purpose of the link', examples: ['sign_up'] }),
      email: Type.String({ description: 'The address it is for', examples: ['anna@example.com'] }),
      own: Nullable(
        Type.Boolean({
          description: 'True if it is for the person signed in to this browser; null if no one is signed in',
        }),
      ),
      expires_at: Timestamp(),
    },
    { $id: 'Link', description: 'Details of a link' },
  ),
  errors: ['link_invalid'],
  async handle({ db, body, session, services }) {
    const known = Object.keys(PURPOSES) as Purpose[];
    const { purpose, person_id, email, expires_at } = await peekMailToken(db, services, known, body.token);
    const person = person_id === null ? undefined : await findPerson(db, person_id);
    const realm = person?.realm ?? 'customer';
    if (realm !== services.realm.realm) throw linkInvalid('unknown');
    if (purpose === 'verify_email' && (await findPersonByEmail(db, email))) throw linkInvalid('taken');
    const own = session?.stage === 'signed_in' ? session.personId === person_id : null;
    return { data: { purpose: PURPOSES[purpose as Purpose], email, own, expires_at } };
  },
});
