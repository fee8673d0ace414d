import { ROLES } from '../../../access/roles.ts';
import type { Transaction } from '../../../db/database.ts';
import type { MailTokenRow } from '../../../db/queries/access/mail-tokens.ts';
import { listMembers, type MemberRow } from '../../../db/queries/access/memberships.ts';
import { sessionIdsOf } from '../../../db/queries/access/sessions.ts';
import type { Signals } from '../../../db/signals.ts';
import { Enum, Nullable, PathId, Shape, Timestamp } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

export const MemberShape = Shape(
  {
    id: Type.String({ description: 'Begins with `mbr_`, or with `mtk_` for an invitation' }),
    person_id: Nullable(Type.String({ description: 'Null until the invitation is accepted' })),
    email: Type.String(),
    name: Nullable(Type.String()),
    role: Enum(ROLES),
    status: Enum(['active', 'invited']),
    created_at: Timestamp(),
  },
  { $id: 'Member', description: 'A member of the account, or a person invited to it' },
);

export const MemberParams = Type.Object({ id: PathId('mbr', 'Member or invitation') });

export const presentMember = (member: MemberRow) => ({
  id: member.id,
  person_id: member.person_id,
  email: member.email,
  name: member.name || null,
  role: member.role,
  status: 'active' as const,
  created_at: member.created_at,
});

export const presentInvitation = (
  invitation: Pick<MailTokenRow, 'id' | 'email' | 'role' | 'created_at'>,
) => ({
  id: invitation.id,
  person_id: null,
  email: invitation.email,
  name: null,
  role: invitation.role,
  status: 'invited' as const,
  created_at: invitation.created_at,
});

/**
 * Refuses to leave an account without an owner. The account must be locked, so that two owners cannot leave at once.
 */
export async function requireOtherOwner(tx: Transaction, member: MemberRow): Promise<void> {
  if (member.role !== 'owner') return;
  const all = await listMembers(tx, member.account_id);
  if (all.some(({ id, role }) => role === 'owner' && id !== member.id)) return;
  throw new ApiError('invalid_state', 'An account needs an owner, and this is the only one.', {
    status: 'only_owner',
  });
}

/** Has everything checked again that depends on a person's role in an account. */
export async function tellRightsChanged(tx: Transaction, signals: Signals, personId: string): Promise<void> {
  for (const id of [personId, ...(await sessionIdsOf(tx, personId))]) await signals.accessEnded(tx, id);
}
