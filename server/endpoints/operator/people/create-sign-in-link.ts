import { ROLES } from '../../../access/roles.ts';
import { findMembership } from '../../../db/queries/access/memberships.ts';
import { findPersonByEmail } from '../../../db/queries/access/people.ts';
import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { addMember, createPerson } from '../../../domain/people/create-person.ts';
import { issueMailToken } from '../../../domain/people/mail-tokens.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Id, Input, Shape, Timestamp } from '../../../http/schemas.ts';
import { invalidField, notFound } from '../../../platform/errors.ts';
import { parseMailAddress } from '../../../platform/mail-address.ts';
import { Type } from '../../../platform/schema.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { Code, Line } from '../shared/input.ts';

export const createSignInLink = endpoint({
  audience: 'operator',
  operation: 'createSignInLink',
  method: 'POST',
  path: '/people/sign-in-link',
  tag: 'account',
  summary: 'Create a link that signs a person in to the panel once',
  description:
    'It replaces all factors, for people who have lost theirs and for the first member of an account. With `account_id`, ' +
    'an unknown person is created and becomes a member.',
  body: Input({
    email: Line('anna@example.com', 'Sign-in address of the person'),
    account_id: Type.Optional(Code('acc_06f2v3n7k8q1m5x9z4b7c2d0gh')),
    role: Type.Optional(Enum(ROLES, { description: 'Role in that account; defaults to owner' })),
  }),
  data: Shape(
    {
      person_id: Id('prs'),
      url: Type.String({ description: 'Works once, for anyone who has it' }),
      expires_at: Timestamp(),
    },
    { $id: 'SignInLink', description: 'A link that signs a person in' },
  ),
  errors: ['not_found', 'invalid_state'],
  async handle({ body, services }) {
    const { clock, db, logger, site } = services;
    const email = parseMailAddress(body.email);
    if (email === undefined)
      throw invalidField('email', 'invalid_format', 'must be an address such as anna@example.com');
    const made = await db.transaction(async (tx) => {
      const { account_id: accountId, role = 'owner' } = body;
      if (accountId !== undefined) {
        await requireAccount(tx, accountId);
        await requireOpen(tx, accountId);
      }
      const there = await findPersonByEmail(tx, email);
      if (!there && accountId === undefined) throw notFound();
      const newcomer = { email, name: '', locale: 'en', passwordHash: null, verified: true };
      const { id: personId } = there ?? (await createPerson(tx, clock, newcomer));
      if (accountId !== undefined && !(await findMembership(tx, personId, accountId)))
        await addMember(tx, clock, { personId, accountId, role });
      const link = { purpose: 'sign_in_link' as const, personId, email };
      return { personId, ...(await issueMailToken(tx, services, link)) };
    });
    logger.info({ person_id: made.personId }, 'sign-in link made by the operator');
    return {
      data: {
        person_id: made.personId,
        url: `${site.panelUrl}/sign-in/link#${made.token}`,
        expires_at: made.expiresAt,
      },
    };
  },
});
