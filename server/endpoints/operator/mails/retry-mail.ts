import { retryMail as retry, systemFindMail } from '../../../db/queries/service/mails.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { MailParams, MailShape, presentMail } from './mail-shape.ts';

export const retryMail = endpoint({
  audience: 'operator',
  operation: 'retryMail',
  method: 'POST',
  path: '/mails/{id}/retry',
  tag: 'service',
  summary: 'Retry a mail that was not sent, at once',
  params: MailParams,
  data: MailShape,
  errors: ['invalid_state'],
  async handle({ params: { id }, services: { db, clock } }) {
    if (!(await systemFindMail(db, id))) throw notFound();
    const mail = await retry(db, id, clock.now());
    if (!mail)
      throw new ApiError('invalid_state', 'The mail has already been sent.', {
        status: 'sent',
        allowed: ['pending', 'failed'],
      });
    return { data: presentMail(mail) };
  },
});
