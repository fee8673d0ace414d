import { instant, type Locale, money, type Template } from '../content.ts';

export interface TopUpValues {
  account: string;
  amountMinor: number;
  currency: string;
  reference: string;
}

/** A receipt. Mails queued by the last release lack the time and the method of payment. */
export interface ReceiptValues extends TopUpValues {
  paidAt?: string;
  method?: string;
}

const METHOD_NAMES: Record<Locale, Record<string, string>> = {
  en: { stripe: 'Card or online payment', bank_transfer: 'Bank transfer' },
  de: { stripe: 'Karte oder Onlinezahlung', bank_transfer: 'Überweisung' },
};
const methodName = (method: string, locale: Locale) =>
  METHOD_NAMES[locale][method] ?? method.replaceAll('_', ' ');

export interface AutoTopUpFailedValues extends TopUpValues {
  reason: string;
  /** True if automatic top-up was turned off, after several failures in a row. */
  isOff: boolean;
}

/** A payment that its provider reversed. */
export interface TakenBackValues extends TopUpValues {
  kind: 'refund' | 'dispute';
  /** True if the wallet did not cover the amount, so that the account is in debt. */
  isOwed: boolean;
  /** The part of the amount that is owed; absent in mails of the last release, in which all of it is owed. */
  owedMinor?: number;
}

export const topUpSucceeded: Template<ReceiptValues> = {
  en: ({ account, amountMinor, currency, reference, paidAt, method }, { panelUrl }) => ({
    subject: `${money(amountMinor, currency, 'en')} received`,
    paragraphs: [
      `Thank you. We have received ${money(amountMinor, currency, 'en')} for the wallet of ${account}.`,
    ],
    facts: [
      ['Amount', money(amountMinor, currency, 'en')],
      ['Reference', reference],
      ...(paidAt ? [['Paid on', instant(paidAt, 'en')] as const] : []),
      ...(method ? [['Method', methodName(method, 'en')] as const] : []),
    ],
    action: { label: 'View wallet', url: `${panelUrl}/billing` },
    notes: [
      'This is your receipt for a prepayment. After the end of the month, you will receive an invoice for your purchases.',
    ],
  }),
  de: ({ account, amountMinor, currency, reference, paidAt, method }, { panelUrl }) => ({
    subject: `${money(amountMinor, currency, 'de')} erhalten`,
    paragraphs: [
      `Danke. Wir haben ${money(amountMinor, currency, 'de')} für das Guthaben von ${account} erhalten.`,
    ],
    facts: [
      ['Betrag', money(amountMinor, currency, 'de')],
      ['Referenz', reference],
      ...(paidAt ? [['Bezahlt am', instant(paidAt, 'de')] as const] : []),
      ...(method ? [['Zahlungsart', methodName(method, 'de')] as const] : []),
    ],
    notes: [
      'Das ist Ihre Quittung für eine Vorauszahlung. Über Ihre Käufe erhalten Sie nach dem Ende des Monats eine Rechnung.',
    ],
    action: { label: 'Guthaben ansehen', url: `${panelUrl}/billing` },
  }),
};

export const autoTopUpFailed: Template<AutoTopUpFailedValues> = {
  en: ({ account, amountMinor, currency, reason, isOff }, { panelUrl }) => ({
    subject: `Automatic top-up of ${account} failed`,
    paragraphs: [
      `${money(amountMinor, currency, 'en')} could not be charged for the wallet of ${account}.`,
      isOff
        ? 'Automatic top-up has failed several times in a row and is now turned off.'
        : 'We will try again. To be safe, top up yourself or choose another payment method.',
    ],
    facts: [['Reason', reason]],
    action: { label: 'Top up', url: `${panelUrl}/billing/top-up` },
  }),
  de: ({ account, amountMinor, currency, reason, isOff }, { panelUrl }) => ({
    subject: `Automatische Aufladung von ${account} fehlgeschlagen`,
    paragraphs: [
      `${money(amountMinor, currency, 'de')} konnten für das Guthaben von ${account} nicht abgebucht werden.`,
      isOff
        ? 'Das ist mehrmals nacheinander fehlgeschlagen; die automatische Aufladung ist jetzt ausgeschaltet.'
        : 'Wir versuchen es noch einmal. Um sicherzugehen, laden Sie selbst auf oder wählen Sie ein anderes Zahlungsmittel.',
    ],
    facts: [['Grund', reason]],
    action: { label: 'Guthaben aufladen', url: `${panelUrl}/billing/top-up` },
  }),
};

export const paymentTakenBack: Template<TakenBackValues> = {
  en: ({ account, amountMinor, currency, reference, kind, isOwed, owedMinor }, { panelUrl }) => {
    const amount = money(amountMinor, currency, 'en');
    const owed = money(owedMinor ?? amountMinor, currency, 'en');
    return {
      subject: isOwed ? `${account} owes ${owed}` : `${amount} was charged back`,
      paragraphs: [
        kind === 'dispute'
          ? `Your bank has charged back ${amount} of a payment to the wallet of ${account} because the payment was disputed.`
          : `The payment provider has refunded ${amount} of a payment to the wallet of ${account}.`,
        isOwed
          ? `The wallet does not cover this amount, so the account owes ${owed}. Until this is paid, you cannot buy machines or make them larger. Your next top-up pays it first.`
          : 'The amount was deducted from the wallet.',
      ],
      facts: [['Payment', reference]],
      action: isOwed
        ? { label: 'Pay the debt', url: `${panelUrl}/billing` }
        : { label: 'View wallet', url: `${panelUrl}/billing` },
    };
  },
  de: ({ account, amountMinor, currency, reference, kind, isOwed, owedMinor }, { panelUrl }) => {
    const amount = money(amountMinor, currency, 'de');
    const owed = money(owedMinor ?? amountMinor, currency, 'de');
    return {
      subject: isOwed ? `${account} schuldet ${owed}` : `${amount} wurden zurückgebucht`,
      paragraphs: [
        kind === 'dispute'
          ? `Ihre Bank hat ${amount} einer Zahlung für das Guthaben von ${account} zurückgebucht, weil der Zahlung widersprochen wurde.`
          : `Der Zahlungsdienst hat ${amount} einer Zahlung für das Guthaben von ${account} erstattet.`,
        isOwed
          ? `Das Guthaben deckt den Betrag nicht, deshalb schuldet das Konto ${owed}. Bis er bezahlt ist, können Sie keine Maschinen kaufen oder vergrößern. Ihre nächste Aufladung wird zuerst dafür verwendet.`
          : 'Der Betrag wurde vom Guthaben abgezogen.',
      ],
      facts: [['Zahlung', reference]],
      action: isOwed
        ? { label: 'Offenen Betrag bezahlen', url: `${panelUrl}/billing` }
        : { label: 'Guthaben ansehen', url: `${panelUrl}/billing` },
    };
  },
};
