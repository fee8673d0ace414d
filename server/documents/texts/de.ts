import { soldInGerman } from '../../../shared/sold-lines.ts';
import { OUTSIDE_SCOPE_NOTE, REVERSE_CHARGE_NOTE } from '../../domain/tax/tax.ts';
import { COUNTRIES } from './countries-de.ts';
import type { DocumentTexts } from './texts.ts';

const REASONS: Record<string, string> = {
  [REVERSE_CHARGE_NOTE]: 'Steuerschuldnerschaft des Leistungsempfängers (Reverse charge)',
  [OUTSIDE_SCOPE_NOTE]: 'Nicht steuerbar: Der Ort der Leistung liegt im Ausland',
};

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
    return (
      { add_on: '', adjustment: '', 'GB-month': quantity === 1 ? 'GB-Monat' : 'GB-Monate' }[unit] ?? unit
    );
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
  country: (code) => COUNTRIES[code] ?? code,
  day: (iso) => iso.split('-').reverse().join('.'),
  number: (decimal) => decimal.replace('.', ','),
  sold: soldInGerman,
  reason: (reason) => REASONS[reason] ?? reason,
};
