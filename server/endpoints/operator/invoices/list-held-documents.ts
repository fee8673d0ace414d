import {
  type HeldDocument,
  listHeldDocuments as queryHeldDocuments,
} from '../../../db/queries/money/held-documents.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Currency, Enum, Id, Input, PageQuery, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { INVOICE_TYPES } from '../../customer/billing/invoice-shape.ts';

const HeldDocumentShape = Shape(
  {
    invoice_id: Id('inv'),
    account_id: Id('acc'),
    account_name: Type.String(),
    type: Enum(INVOICE_TYPES),
    period_start_at: Timestamp('Start of the month'),
    currency: Currency,
    reason: Type.String({ description: 'Reason why it is not issued' }),
    rules: Type.Array(Type.String({ examples: ['BR-AE-02'] }), {
      description: 'Rules of EN 16931 that its e-invoice would violate; empty if it could not be checked',
    }),
    held_at: Timestamp('When it was first held'),
    checked_at: Timestamp('When it was last checked; it is checked again every ten minutes'),
  },
  { $id: 'HeldDocument', description: 'An invoice or a credit note of a past month without a number' },
);

export const listHeldDocuments = endpoint({
  audience: 'operator',
  operation: 'listHeldDocuments',
  method: 'GET',
  path: '/held-documents',
  tag: 'money',
  summary: 'List invoices and credit notes that are held because they would violate a rule, newest first',
  query: Input(PageQuery),
  data: Type.Array(HeldDocumentShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { db } }) {
    const page = pageFrom(query);
    return paginated(await queryHeldDocuments(db, page), page, present);
  },
});

function present(held: HeldDocument) {
  const { invoice_id, account_id, account_name, type, period_start_at, currency } = held;
  const { reason, rules, held_at, checked_at } = held;
  return {
    ...{ invoice_id, account_id, account_name, type, period_start_at, currency },
    ...{ reason, rules, held_at, checked_at },
  };
}
