import { monthStart } from '../../../domain/billing/bookings/export.ts';
import { monthFiles } from '../../../domain/billing/month-archive.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { tarGz } from '../../../platform/tar.ts';
import { Month } from '../books/month.ts';

export const downloadDocuments = endpoint({
  audience: 'operator',
  operation: 'downloadDocuments',
  method: 'GET',
  path: '/documents/archive',
  money: true,
  tag: 'money',
  summary: 'Download the PDF and XML of all issued documents of a month as one archive',
  query: Input({ month: Month }),
  file: 'application/gzip',
  data: Type.String({
    description:
      'A compressed tar file. Documents that could not be created are listed with the reason in its last file, MISSING.txt, which is absent otherwise',
  }),
  errors: [],
  handle: async ({ query, services }) => ({
    content: tarGz(monthFiles(services, monthStart(query.month))),
  }),
});
