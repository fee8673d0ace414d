import type { Database, Transaction } from '../../db/database.ts';
import { holdDocument } from '../../db/queries/money/held-documents.ts';
import {
  type InvoiceLineRow,
  type InvoiceType,
  type InvoiceView,
  invoiceLines,
  type PartyRow,
  systemFindInvoice,
} from '../../db/queries/money/invoices.ts';
import {
  type Buyers,
  buyersOf,
  dueDrafts,
  type IssuedDocument,
  issueDraft,
} from '../../db/queries/money/issue-invoices.ts';
import type { Logger } from '../../platform/logging.ts';
import { type DocumentTax, documentFigures } from './document-figures.ts';
import { roundingsOf } from './document-sales.ts';
import { DOCUMENT_LANGUAGES, type DocumentCheck, invoiceDocument } from './invoice-document.ts';
import { sum, toJsonInteger } from './money.ts';

interface IssueServices {
  db: Database;
  logger: Logger;
  documents: DocumentCheck;
  /** Called in the transaction that issues a document with a known seller, for example to queue its mail. */
  onIssued?: (tx: Transaction, issued: IssuedDocument) => Promise<void>;
}

/** The seller who issues, and the text at the foot of each page. */
interface Issuer {
  seller: PartyRow | null;
  footer: string | null;
}

/** Stands in for the number, which a document does not have until it is checked. */
const NO_NUMBER = 'draft';

/**
 * Issues up to `limit` drafts whose month is over, each in its own transaction: a draft gets the next number of its
 * type and never changes again. Prepaid sales are paid when the document is issued. A credit note waits for the
 * invoices that it corrects. Each draft is first checked against the rules for e-invoices: one that violates any is
 * held, uses no number, and is checked again later. Returns the number of drafts processed; fewer than `limit` if none
 * is left.
 */
export async function issueDocuments(
  services: IssueServices,
  now: Date,
  limit = 1_000,
  seller: PartyRow | null = null,
  footer: string | null = null,
): Promise<number> {
  const by = { seller, footer };
  const invoices = await issueSome(services, 'invoice', now, limit, by);
  if (invoices === limit) return invoices;
  return invoices + (await issueSome(services, 'credit_note', now, limit - invoices, by));
}

async function issueSome(
  services: IssueServices,
  type: InvoiceType,
  now: Date,
  limit: number,
  by: Issuer,
): Promise<number> {
  const drafts = await dueDrafts(services.db, type, now, limit);
  for (const id of drafts) await issueOne(services, id, now, by);
  return drafts.length;
}

async function issueOne(
  services: IssueServices,
  id: string,
  now: Date,
  { seller, footer }: Issuer,
): Promise<void> {
  const { db } = services;
  const draft = (await systemFindInvoice(db, id))!;
  // The orders are counted before the lines are read, so that an order added in between is noticed.
  const buyers = await buyersOf(db, draft);
  const lines = await invoiceLines(db, draft);
  const { taxes, lines: figured } = documentFigures(draft, lines);
  const buyer = buyerOf(buyers, taxes);
  const printed = { ...printedOf(buyers), footer };
  const issued = { ...draft, issued_at: now, seller, buyer, printed };
  if (!(await mayLeave(services, issued, lines))) return;
  const taxMinor = sum(taxes.map(({ tax_minor }) => tax_minor));
  await issueDraft(db, {
    ...{ draft, orders: buyers.orders, seller, buyer, printed, taxMinor, now },
    ...(seller && services.onIssued && { onIssued: services.onIssued }),
    roundings: roundingsOf(lines, figured, buyer),
    totalMinor: taxMinor + sum(taxes.map(({ net_minor }) => net_minor)),
    taxes: taxes.map((tax) => ({
      ...tax,
      net_minor: toJsonInteger(tax.net_minor),
      tax_minor: toJsonInteger(tax.tax_minor),
    })),
  });
}

/**
 * Returns the party that a document is addressed to: the buyer of the current billing details, unless they no longer
 * have the VAT id with which something on it was taxed by reverse charge. In that case, the party that bought it.
 */
function buyerOf({ now, reverse_charged }: Buyers, taxes: DocumentTax[]): PartyRow {
  const byBuyer = taxes.some(({ category }) => category === 'reverse_charge');
  return byBuyer && reverse_charged && reverse_charged.vat_id !== now.vat_id ? reverse_charged : now;
}

function printedOf({ language, order_reference }: Buyers) {
  const known = DOCUMENT_LANGUAGES.find((one) => one === language);
  return { language: known ?? 'en', order_reference };
}

/** Returns whether a document satisfies the rules, and holds it if not. */
async function mayLeave(
  { db, logger, documents }: IssueServices,
  draft: InvoiceView,
  lines: InvoiceLineRow[],
): Promise<boolean> {
  // Without a seller, the document has neither PDF nor XML.
  if (draft.seller === null) return true;
  const hold = await obstacleOf(documents, draft, lines);
  if (hold === undefined) return true;
  const { id: invoiceId, account_id } = draft;
  if (await holdDocument(db, { invoiceId, ...hold, at: draft.issued_at! }))
    logger.error({ invoice_id: invoiceId, account_id, ...hold }, 'document held: it is not issued');
  return false;
}

async function obstacleOf(documents: DocumentCheck, draft: InvoiceView, lines: InvoiceLineRow[]) {
  try {
    const document = invoiceDocument({ ...draft, number: NO_NUMBER }, lines);
    const obstacle = await documents.check(draft.account_id, document);
    // A document that can never be an e-invoice, such as one without an address, is issued only as a PDF.
    return obstacle && obstacle.rules.length > 0 ? obstacle : undefined;
  } catch (error) {
    // One document must not block the others.
    return { reason: `it could not be checked: ${(error as Error).message}`, rules: [] };
  }
}
