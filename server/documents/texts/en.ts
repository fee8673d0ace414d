import { countryName } from '../../domain/tax/countries.ts';
import type { DocumentTexts } from './texts.ts';

export const en: DocumentTexts = {
  title: { invoice: 'Invoice', credit_note: 'Credit note' },
  vatId: (id) => `VAT id ${id}`,
  taxNumber: (number) => `Tax number ${number}`,
  registered: (id) => `Registered as ${id}`,
  issued: (day, from, to) => `Issued ${day}, for bookings from ${from} to ${to} (UTC)`,
  orderReference: (reference) => `Your order number: ${reference}`,
  corrects: (numbers) => `Corrects ${numbers}`,
  page: (page, pages) => `Page ${page} of ${pages}`,
  head: {
    service: 'Service',
    period: 'Period',
    quantity: 'Quantity',
    unitPrice: 'Unit price, tax incl.',
    tax: 'Tax',
    net: (currency) => `Net, ${currency}`,
  },
  unit: (unit, quantity) => {
    const name = { month: 'month', hour: 'hour', add_on: '', adjustment: '' }[unit] ?? unit;
    return (unit === 'month' || unit === 'hour') && quantity !== 1 ? `${name}s` : name;
  },
  inPart: 'pro rata',
  capped: 'capped at the monthly price',
  net: 'Net',
  taxOn: (net) => `Tax on ${net}`,
  total: { invoice: 'Total', credit_note: 'Total refunded' },
  settled: {
    invoice: (day) => `Paid from the prepaid balance by ${day}. No payment is due.`,
    credit_note: (day) => `Refunded to the prepaid balance by ${day}.`,
  },
  country: countryName,
  day: (iso) => iso,
  number: (decimal) => decimal,
  sold: (description) => description,
  reason: (reason) => reason,
};
