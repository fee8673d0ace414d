import { MAIL_STATUSES, type MailRow } from '../../../db/queries/service/mails.ts';
import { Count, Enum, Id, Nullable, PathId, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const MailParams = Type.Object({ id: PathId('mail', 'Mail identifier') });

export const MailShape = Shape(
  {
    id: Id('mail'),
    account_id: Nullable(Id('acc')),
    recipient: Type.String(),
    locale: Type.String(),
    template: Type.String({ description: 'Template of the mail' }),
    status: Enum(MAIL_STATUSES, { description: '`failed`: given up' }),
    attempts: Count('Number of attempts'),
    next_attempt_at: Nullable(Timestamp('Null if there is none')),
    last_error: Nullable(Type.String()),
    created_at: Timestamp(),
    settled_at: Nullable(Timestamp('When it was sent or given up')),
  },
  { $id: 'Mail', description: 'A mail to a person, without its content' },
);

export function presentMail({ sealed_values: _, ...mail }: MailRow) {
  return { ...mail, next_attempt_at: mail.status === 'pending' ? mail.next_attempt_at : null };
}
