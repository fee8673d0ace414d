import type { InvoiceDocument, Party } from '../domain/billing/invoice-document.ts';
import { day, decimal, percent } from './amounts.ts';
import { ATTACHMENT_NAME, attachmentXmp } from './attachment-xmp.ts';
import { period, priceNote, quantityOf } from './line-texts.ts';
import { type DocumentLook, PLAIN_LOOK } from './look.ts';
import { type Column, type Letters, LOGO, Sheet } from './sheet.ts';
import { type DocumentTexts, textsOf } from './texts/texts.ts';

const BODY: Letters = { size: 9 };
const CELL: Letters = { size: 8 };
const STRONG_CELL: Letters = { size: 8, bold: true };
const SMALL: Letters = { size: 7, color: '#555555' };
const TITLE_SIZE = 16;
/** Space between rows, and above and below rules, in points. */
const GAP = 4;
const COLUMNS: readonly Column[] = [
  { x: 0, width: 158 },
  { x: 164, width: 108 },
  { x: 276, width: 56, align: 'right' },
  { x: 336, width: 50, align: 'right' },
  { x: 390, width: 36, align: 'right' },
  { x: 430, width: 53, align: 'right' },
];
/** Sums are placed below the amounts, with more space for longer texts. */
const SUM_COLUMNS: readonly Column[] = [
  { x: 164, width: 160 },
  { x: 330, width: 40, align: 'right' },
  { x: 374, width: 109, align: 'right' },
];

interface Drawing {
  sheet: Sheet;
  document: InvoiceDocument;
  texts: DocumentTexts;
  look: DocumentLook;
}

/**
 * Renders an issued invoice as PDF/A-3b, with its XML attached as Factur-X if there is one. The same invoice always
 * makes the same bytes: the PDF's own metadata is taken from the invoice.
 */
export async function invoicePdf(
  document: InvoiceDocument,
  xml: string | undefined,
  look: DocumentLook = PLAIN_LOOK,
): Promise<Buffer> {
  const { type, number, language, issued_at, footer } = document;
  const texts = textsOf(language);
  const title = `${texts.title[type]} ${number}`;
  const sheet = new Sheet({ title, language, issuedAt: issued_at, font: look.font });
  const foot = footOf(sheet, footer);
  sheet.keepFoot((foot.length + 2) * SMALL.size * 1.5);
  const { pdf } = sheet;
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((done, fail) => pdf.on('end', done).on('error', fail));
  if (xml !== undefined) attach(sheet, xml, issued_at);
  const drawing = { sheet, document, texts, look };
  drawHead(drawing, title);
  drawLines(drawing);
  drawSums(drawing);
  drawFeet(drawing, foot);
  pdf.end();
  await ended;
  return Buffer.concat(chunks);
}

function attach({ pdf }: Sheet, xml: string, at: Date): void {
  const options = {
    type: 'application/xml',
    relationship: 'Alternative',
    creationDate: at,
    modifiedDate: at,
  };
  pdf.file(Buffer.from(xml), { name: ATTACHMENT_NAME, ...options } as object);
  // Missing from the types: adds the text to the metadata that PDF/A requires.
  (pdf as unknown as { appendXML(xml: string): void }).appendXML(attachmentXmp());
}

function addressOf(party: Party, texts: DocumentTexts): string {
  const { name, street, postcode, city, country, vat_id, tax_number, registration_id, email } = party;
  const lines = [
    name,
    street,
    [postcode, city].filter(Boolean).join(' '),
    country && texts.country(country),
    vat_id && texts.vatId(vat_id),
    tax_number && texts.taxNumber(tax_number),
    registration_id && texts.registered(registration_id),
    email,
  ];
  return lines.filter((line): line is string => !!line).join('\n');
}

function drawHead({ sheet, document, texts, look }: Drawing, title: string): void {
  const { seller, buyer, issued_at, period_start_at, period_end_at, corrects, order_reference } = document;
  const shown = (at: Date) => texts.day(day(at));
  const top = sheet.y;
  if (look.logo) sheet.drawLogo(look.logo);
  sheet.write(addressOf(seller, texts), BODY, { x: sheet.width / 2, width: sheet.width / 2, align: 'right' });
  if (look.logo) sheet.y = Math.max(sheet.y, top + LOGO.height);
  sheet.y += 2 * BODY.size;
  sheet.write(addressOf(buyer, texts), BODY);
  sheet.y += 3 * BODY.size;
  sheet.write(title, { size: TITLE_SIZE, bold: true, color: look.color });
  sheet.y += GAP;
  const lastDay = new Date(period_end_at.getTime() - 1);
  sheet.write(texts.issued(shown(issued_at), shown(period_start_at), shown(lastDay)), BODY);
  if (order_reference !== null) sheet.write(texts.orderReference(order_reference), BODY);
  if (corrects.length > 0) sheet.write(texts.corrects(corrects.join(', ')), BODY);
  sheet.y += 2 * BODY.size;
}

interface Cell {
  text: string;
  below?: string;
}

/** Draws one row, on a new page if this one is full; `onNewPage` draws the heading of each page. */
function drawRow(
  sheet: Sheet,
  cells: readonly Cell[],
  columns: readonly Column[],
  letters: Letters,
  onNewPage?: () => void,
): void {
  const drawn = cells.map(({ text, below }, index) => {
    const { width } = columns[index]!;
    const lines = text === '' ? [] : sheet.linesOf(text, width, letters);
    const smaller = below === undefined ? [] : sheet.linesOf(below, width, SMALL);
    const height = sheet.heightOf(lines, letters);
    return { lines, smaller, height, whole: height + sheet.heightOf(smaller, SMALL) };
  });
  const height = Math.max(...drawn.map(({ whole }) => whole)) + GAP;
  if (sheet.makeSpace(height)) onNewPage?.();
  for (const [index, { lines, smaller, height }] of drawn.entries()) {
    if (lines.length > 0) sheet.drawLines(lines, columns[index]!, sheet.y, letters);
    if (smaller.length > 0) sheet.drawLines(smaller, columns[index]!, sheet.y + height, SMALL);
  }
  sheet.y += height;
}

function drawLines({ sheet, document: { lines, currency }, texts, look }: Drawing): void {
  const { head } = texts;
  const titles = [head.service, head.period, head.quantity, head.unitPrice, head.tax, head.net(currency)];
  const drawTableHead = () => {
    drawRow(
      sheet,
      titles.map((text) => ({ text })),
      COLUMNS,
      STRONG_CELL,
    );
    sheet.rule(look.color);
    sheet.y += GAP;
  };
  drawTableHead();
  for (const line of lines) {
    const { description, vm, unit_price, tax_rate, net_minor } = line;
    const note = priceNote(line, currency, texts);
    const cells: Cell[] = [
      { text: texts.sold(description), ...(vm && { below: `${vm.hostname}, ${vm.id}` }) },
      { text: period(line, texts) },
      { text: quantityOf(line, texts) },
      { text: texts.number(unit_price), ...(note !== undefined && { below: note }) },
      { text: `${texts.number(percent(tax_rate))} %` },
      { text: texts.number(decimal(net_minor, currency)) },
    ];
    drawRow(sheet, cells, COLUMNS, CELL, drawTableHead);
  }
  sheet.rule(look.color);
  sheet.y += GAP;
}

function drawSums({ sheet, document, texts }: Drawing): void {
  const { type, taxes, net_minor, total_minor, currency, issued_at } = document;
  const number = (minor: bigint) => texts.number(decimal(minor, currency));
  const row = (label: string, rate: string, minor: bigint, letters: Letters) =>
    drawRow(
      sheet,
      [{ text: label }, { text: rate }, { text: `${number(minor)} ${currency}` }],
      SUM_COLUMNS,
      letters,
    );
  row(texts.net, '', net_minor, BODY);
  for (const { tax_rate, net_minor: net, tax_minor } of taxes)
    row(texts.taxOn(number(net)), `${texts.number(percent(tax_rate))} %`, tax_minor, BODY);
  row(texts.total[type], '', total_minor, { ...BODY, bold: true });
  sheet.y += 2 * BODY.size;
  for (const { reason } of taxes) if (reason !== null) sheet.write(texts.reason(reason), BODY);
  sheet.write(texts.settled[type](texts.day(day(issued_at))), BODY);
}

/** Returns the seller's footer, broken into lines that leave space for the page number. */
const footOf = (sheet: Sheet, footer: string | null) =>
  footer === null ? [] : sheet.linesOf(footer, sheet.width * 0.7, SMALL);

/** Writes the seller's footer, the document's number and the page number on each page. */
function drawFeet({ sheet, document: { number }, texts, look }: Drawing, foot: readonly string[]): void {
  const { pdf, width } = sheet;
  const whole = { x: 0, width };
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    sheet.turnTo(page);
    sheet.y = sheet.bottom + SMALL.size;
    sheet.rule(look.color);
    sheet.y += GAP;
    sheet.drawLines(
      [`${number} · ${texts.page(page + 1, count)}`],
      { ...whole, align: 'right' },
      sheet.y,
      SMALL,
    );
    sheet.drawLines(foot, whole, sheet.y, SMALL);
  }
}
