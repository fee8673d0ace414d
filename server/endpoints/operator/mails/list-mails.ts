import { MAIL_STATUSES, systemListMails } from '../../../db/queries/service/mails.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { MailShape, presentMail } from './mail-shape.ts';

export const listMails = endpoint({
  audience: 'operator',
  operation: 'listMails',
  method: 'GET',
  path: '/mails',
  tag: 'service',
  summary: 'List mails to people, newest first',
  query: Input({ ...PageQuery, status: Type.Optional(Enum(MAIL_STATUSES)) }),
  data: Type.Array(MailShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { db } }) {
    const page = pageFrom(query);
    return paginated(await systemListMails(db, query.status, page), page, presentMail);
  },
});
