import { MAIL_STATUSES, systemListMails } from '../../../db/queries/service/mails.ts';
import { operatorEndpoint } from '../../../http/operator/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { MailShape, presentMail } from './mail-shape.ts';

export const listMails = operatorEndpoint({
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
