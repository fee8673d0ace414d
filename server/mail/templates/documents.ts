import { money, month, type Template } from '../content.ts';

export interface DocumentIssuedValues {
  account: string;
  type: 'invoice' | 'credit_note';
  invoiceId: string;
  number: string;
  /** Start of the month that the document covers. */
  periodStartAt: string;
  /** Negative for a credit note. */
  totalMinor: number;
  currency: string;
  /** The attached files, filled in by the sender: none for a document that is too large. */
  attached?: readonly ('pdf' | 'xml')[];
}

const link = (panelUrl: string, id: string) => `${panelUrl}/billing/invoices/${id}`;

export const documentIssued: Template<DocumentIssuedValues> = {
  en: (values, { panelUrl }) => {
    const { account, type, invoiceId, number, periodStartAt, totalMinor, currency, attached = [] } = values;
    const name = type === 'invoice' ? 'invoice' : 'credit note';
    return {
      subject: `${type === 'invoice' ? 'Invoice' : 'Credit note'} ${number} for ${month(periodStartAt, 'en')}`,
      paragraphs: [
        `The ${name} for ${account} for ${month(periodStartAt, 'en')} is ready.`,
        attached.length === 0
          ? `You can read the ${name} in the panel.`
          : attached.includes('xml')
            ? 'The PDF and the e-invoice (XML) are attached.'
            : 'The PDF is attached.',
        type === 'invoice'
          ? 'It has been paid from your wallet. You do not have to pay anything.'
          : 'The amount was refunded to your wallet.',
      ],
      facts: [
        ['Number', number],
        ['Total', money(Math.abs(totalMinor), currency, 'en')],
      ],
      action: { label: `View the ${name}`, url: link(panelUrl, invoiceId) },
    };
  },
  de: (values, { panelUrl }) => {
    const { account, type, invoiceId, number, periodStartAt, totalMinor, currency, attached = [] } = values;
    const name = type === 'invoice' ? 'Rechnung' : 'Rechnungskorrektur';
    return {
      subject: `${name} ${number} für ${month(periodStartAt, 'de')}`,
      paragraphs: [
        `Die ${name} von ${account} für ${month(periodStartAt, 'de')} liegt vor.`,
        attached.length === 0
          ? `Sie können die ${name} im Panel lesen.`
          : attached.includes('xml')
            ? 'Das PDF und die E-Rechnung (XML) sind angehängt.'
            : 'Das PDF ist angehängt.',
        type === 'invoice'
          ? 'Sie wurde aus Ihrem Guthaben bezahlt. Es ist nichts zu zahlen.'
          : 'Der Betrag wurde Ihrem Guthaben gutgeschrieben.',
      ],
      facts: [
        ['Nummer', number],
        ['Betrag', money(Math.abs(totalMinor), currency, 'de')],
      ],
      action: { label: `${name} ansehen`, url: link(panelUrl, invoiceId) },
    };
  },
};
