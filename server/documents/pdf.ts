import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';
import type { InvoiceDocument, Party } from '../domain/billing/invoice-document.ts';
import { countryName } from '../domain/tax/countries.ts';
import { day, decimal, percent } from './amounts.ts';
import { ATTACHMENT_NAME, attachmentXmp } from './attachment-xmp.ts';

type Page = InstanceType<typeof PDFDocument>;

/** Has the letters of all languages of Europe, and of most others outside of East Asia; PDF/A wants it embedded. */
const { resolve } = createRequire(import.meta.url);
const FONT = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf');
const BOLD = resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf');

const MARGIN = 56;
const TEXT_SIZE = 9;
const TITLE_SIZE = 16;
const LINE_HEIGHT = 14;
/** Left edge and width of each column, in points from the margin; amounts stand at the right of theirs. */
const COLUMNS = [
  { x: 0, width: 190 },
  { x: 195, width: 130 },
  { x: 325, width: 45, align: 'right' },
  { x: 370, width: 113, align: 'right' },
] as const;

const TITLE = { invoice: 'Invoice', credit_note: 'Credit note' };

/**
 * An issued invoice as PDF/A-3b, with its XML attached as Factur-X where there is one. The same invoice makes the same
 * bytes: whatever a PDF says of its making is taken from the invoice.
 */
export async function invoicePdf(document: InvoiceDocument, xml: string | undefined): Promise<Buffer> {
  const title = `${TITLE[document.type]} ${document.number}`;
  const page = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    font: FONT,
    subset: 'PDF/A-3b',
    pdfVersion: '1.7',
    lang: 'en',
    // The library writes these into the XML metadata as they are, so nothing may stand here that a customer chose.
    info: { Title: title, Creator: 'Vauban', Producer: 'Vauban', CreationDate: document.issued_at },
  });
  const chunks: Buffer[] = [];
  page.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((done, fail) => page.on('end', done).on('error', fail));
  if (xml !== undefined) attach(page, xml, document.issued_at);
  drawHead(page, document, title);
  drawLines(page, document);
  drawSums(page, document);
  page.end();
  await ended;
  return Buffer.concat(chunks);
}

function attach(page: Page, xml: string, at: Date): void {
  const options = {
    type: 'application/xml',
    relationship: 'Alternative',
    creationDate: at,
    modifiedDate: at,
  };
  page.file(Buffer.from(xml), { name: ATTACHMENT_NAME, ...options } as object);
  // Undocumented by the types: what is appended stands in the metadata beside what PDF/A needs.
  (page as unknown as { appendXML(xml: string): void }).appendXML(attachmentXmp());
}

function addressOf(party: Party): string[] {
  const { name, street, postcode, city, country, vat_id, tax_number, registration_id, email } = party;
  const lines = [
    name,
    street,
    [postcode, city].filter(Boolean).join(' '),
    country && countryName(country),
    vat_id && `VAT id ${vat_id}`,
    tax_number && `Tax number ${tax_number}`,
    registration_id && `Registered as ${registration_id}`,
    email,
  ];
  return lines.filter((line): line is string => !!line);
}

function drawHead(page: Page, document: InvoiceDocument, title: string): void {
  const { seller, buyer, issued_at, period_start_at, period_end_at, corrects } = document;
  page.font(FONT).fontSize(TEXT_SIZE).text(addressOf(seller).join('\n'), { align: 'right' });
  page.moveDown(2).text(addressOf(buyer).join('\n'), { align: 'left' });
  page.moveDown(3).font(BOLD).fontSize(TITLE_SIZE).text(title);
  page.font(FONT).fontSize(TEXT_SIZE).moveDown(0.5);
  const lastDay = new Date(period_end_at.getTime() - 1);
  page.text(
    `Issued ${day(issued_at)}, for what was settled from ${day(period_start_at)} to ${day(lastDay)} (UTC)`,
  );
  if (corrects.length > 0) page.text(`Corrects ${corrects.join(', ')}`);
  page.moveDown(2);
}

/** One row of the table, on a new page where this one is full. */
function drawRow(page: Page, cells: string[], font: string): void {
  page.font(font);
  const heights = cells.map((cell, index) => page.heightOfString(cell, { width: COLUMNS[index]!.width }));
  const height = Math.max(LINE_HEIGHT, ...heights);
  if (page.y + height > page.page.height - MARGIN) page.addPage();
  const { y } = page;
  for (const [index, cell] of cells.entries()) {
    const { x, width, ...align } = COLUMNS[index]!;
    page.text(cell, MARGIN + x, y, { width, ...align });
  }
  page.x = MARGIN;
  page.y = y + height;
}

function drawRule(page: Page): void {
  page
    .moveTo(MARGIN, page.y)
    .lineTo(page.page.width - MARGIN, page.y)
    .lineWidth(0.5)
    .stroke();
  page.y += LINE_HEIGHT / 3;
}

function drawLines(page: Page, { lines, currency }: InvoiceDocument): void {
  drawRow(page, ['Service', 'Period', 'Tax', `Net, ${currency}`], BOLD);
  drawRule(page);
  for (const { description, from_at, to_at, tax_rate, net_minor } of lines) {
    const period = `${day(from_at)} – ${day(to_at)}`;
    drawRow(page, [description, period, `${percent(tax_rate)} %`, decimal(net_minor, currency)], FONT);
  }
  drawRule(page);
}

function drawSums(page: Page, document: InvoiceDocument): void {
  const { type, taxes, net_minor, total_minor, currency, issued_at } = document;
  const amount = (minor: bigint) => `${decimal(minor, currency)} ${currency}`;
  drawRow(page, ['', 'Net', '', amount(net_minor)], FONT);
  for (const { tax_rate, net_minor: net, tax_minor } of taxes) {
    const of = `Tax on ${decimal(net, currency)}`;
    drawRow(page, ['', of, `${percent(tax_rate)} %`, amount(tax_minor)], FONT);
  }
  drawRow(page, ['', type === 'invoice' ? 'Total' : 'Total given back', '', amount(total_minor)], BOLD);
  page.font(FONT).moveDown(2);
  for (const { reason } of taxes) if (reason !== null) page.text(reason, MARGIN);
  const settled =
    type === 'invoice'
      ? `Paid from the prepaid balance by ${day(issued_at)}. Nothing is due.`
      : `Given back to the prepaid balance by ${day(issued_at)}.`;
  page.text(settled, MARGIN);
}
