import type { FastifyInstance } from 'fastify';
import { invoiceLines, systemFindInvoice } from '../../db/queries/invoices.ts';
import { invoiceDocument } from '../../domain/billing/invoice-document.ts';
import { Enum, Input } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { notFound } from '../../platform/errors.ts';
import { presentInvoice, presentInvoiceLine, presentTaxes } from '../customer/billing/invoice-shape.ts';

export function registerInvoiceOperations(app: FastifyInstance, services: OperatorServices): void {
  /** By its id or its number. */
  const load = async (name: string) => {
    const invoice = await systemFindInvoice(services.db, name);
    if (!invoice) throw notFound();
    return { invoice, lines: await invoiceLines(services.db, invoice) };
  };

  register(app, services, {
    method: 'GET',
    path: '/invoices/:id',
    async handle({ id }) {
      const { invoice, lines } = await load(id);
      const { account_id } = invoice;
      const taxes = presentTaxes(lines);
      return {
        data: { account_id, ...presentInvoice(invoice), taxes, lines: lines.map(presentInvoiceLine) },
      };
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/invoices/:id/document',
    query: Input({ format: Enum(['pdf', 'xml']) }),
    async handle({ id, query: { format } }) {
      const { invoice, lines } = await load(id);
      const bytes = await services.documents.render(
        invoice.account_id,
        invoiceDocument(invoice, lines),
        format,
      );
      return { data: { name: `${invoice.number}.${format}`, base64: bytes.toString('base64') } };
    },
  });
}
