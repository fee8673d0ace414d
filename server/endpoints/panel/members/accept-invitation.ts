import { emailKey, findPerson } from '../../../db/queries/access/people.ts';
import { setSessionAccount } from '../../../db/queries/access/sessions.ts';
import { acceptInvitation as accept, openInvitation } from '../../../domain/people/invitations.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Id, Input, Shape } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { LinkToken } from '../session/sign-in-shape.ts';

export const acceptInvitation = endpoint({
  audience: 'panel',
  operation: 'acceptInvitation',
  method: 'POST',
  path: '/invitations/accept',
  access: 'person',
  tag: 'member',
  summary: 'Accept an invitation and become a member of its account',
  description:
    'The session then shows that account. People without an account call completeSignUp with the invitation instead.',
  body: Input({ token: LinkToken }),
  data: Shape({ account_id: Id('acc') }),
  errors: ['link_invalid', 'invalid_state'],
  async handle({ body, session, db, browser, services }) {
    const invitation = await openInvitation(db, services, body.token);
    const person = await findPerson(db, session.personId);
    // An invitation is for the address that it was mailed to, even if the link is passed on.
    if (!person || emailKey(person.email) !== emailKey(invitation.email))
      throw new ApiError(
        'invalid_state',
        `The invitation is for ${invitation.email}. Sign in with that address.`,
      );
    await accept(db, services, { token: body.token, personId: person.id, ip: browser.ip });
    await setSessionAccount(db, session.id, invitation.account_id!);
    return { data: { account_id: invitation.account_id } };
  },
});
