import { OUTSIDE_SCOPE_NOTE, REVERSE_CHARGE_NOTE } from '../../domain/tax/tax.ts';
import type { DocumentTexts } from './texts.ts';

/** What a line was sold as, in English, up to the name of what was sold. */
const SOLD: readonly (readonly [english: string, german: string])[] = [
  ['Grace on ', 'Nachfrist für '],
  ['Unused time on ', 'Nicht genutzte Zeit von '],
  ['Unused month of ', 'Nicht genutzter Monat von '],
  ['Used time on ', 'Genutzte Zeit von '],
  ['Remaining time on ', 'Restliche Zeit von '],
  ['Use that was credited before', 'Nutzung, die schon gutgeschrieben war'],
  ['Traffic used ahead of time', 'Vorzeitig verbrauchter Datenverkehr'],
  ['Traffic of ', 'Datenverkehr von '],
  ['Snapshots of ', 'Snapshots von '],
  ['Refund of ', 'Erstattung von '],
  ['Void of ', 'Storno von '],
  ['Credit: ', 'Gutschrift: '],
  ['Debit: ', 'Belastung: '],
  ['SLA credit, ', 'Gutschrift nach SLA, '],
];
/** What follows it. */
const AFTER: readonly (readonly [english: string, german: string])[] = [
  [' hours', ' Stunden'],
  [' hour', ' Stunde'],
  [' GB included', ' GB inklusive'],
  [' GB-months', ' GB-Monate'],
];
const REASONS: Record<string, string> = {
  [REVERSE_CHARGE_NOTE]: 'Steuerschuldnerschaft des Leistungsempfängers (Reverse charge)',
  [OUTSIDE_SCOPE_NOTE]: 'Nicht steuerbar: Der Ort der Leistung liegt im Ausland',
};

/** What documents say in German. */
export const de: DocumentTexts = {
  title: { invoice: 'Rechnung', credit_note: 'Rechnungskorrektur' },
  vatId: (id) => `USt-IdNr. ${id}`,
  taxNumber: (number) => `Steuernummer ${number}`,
  registered: (id) => `Registernummer ${id}`,
  issued: (day, from, to) => `Ausgestellt am ${day}, für Buchungen vom ${from} bis zum ${to} (UTC)`,
  orderReference: (reference) => `Ihre Bestellnummer: ${reference}`,
  corrects: (numbers) => `Korrigiert ${numbers}`,
  page: (page, pages) => `Seite ${page} von ${pages}`,
  head: {
    service: 'Leistung',
    period: 'Zeitraum',
    quantity: 'Menge',
    unitPrice: 'Einzelpreis inkl. Steuer',
    tax: 'Steuer',
    net: (currency) => `Netto, ${currency}`,
  },
  unit: (unit, quantity) => {
    if (unit === 'month') return quantity === 1 ? 'Monat' : 'Monate';
    if (unit === 'hour') return quantity === 1 ? 'Stunde' : 'Stunden';
    return { adjustment: '', 'GB-month': quantity === 1 ? 'GB-Monat' : 'GB-Monate' }[unit] ?? unit;
  },
  inPart: 'anteilig',
  capped: 'höchstens der Monatspreis',
  net: 'Netto',
  taxOn: (net) => `Steuer auf ${net}`,
  total: { invoice: 'Gesamtbetrag', credit_note: 'Erstattet' },
  settled: {
    invoice: (day) => `Bis zum ${day} aus dem Guthaben bezahlt. Es ist nichts zu zahlen.`,
    credit_note: (day) => `Bis zum ${day} dem Guthaben gutgeschrieben.`,
  },
  day: (iso) => iso.split('-').reverse().join('.'),
  number: (decimal) => decimal.replace('.', ','),
  sold: (description) => {
    const before = SOLD.find(([english]) => description.startsWith(english));
    const after = AFTER.find(([english]) => description.endsWith(english));
    const start = before ? before[0].length : 0;
    const end = description.length - (after ? after[0].length : 0);
    return `${before?.[1] ?? ''}${description.slice(start, end)}${after?.[1] ?? ''}`;
  },
  reason: (reason) => REASONS[reason] ?? reason,
};
