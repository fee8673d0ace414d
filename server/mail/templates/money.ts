import { money, type Template } from '../content.ts';

/** Money that came in. */
export interface TopUpValues {
  account: string;
  amountMinor: number;
  currency: string;
  reference: string;
}

/** An automatic top-up that failed. */
export interface AutoTopUpFailedValues extends TopUpValues {
  reason: string;
  /** Whether it was turned off, after some in a row. */
  isOff: boolean;
}

export const topUpSucceeded: Template<TopUpValues> = {
  en: ({ account, amountMinor, currency, reference }, { panelUrl }) => ({
    subject: `${money(amountMinor, currency, 'en')} received`,
    paragraphs: [`Thank you: ${money(amountMinor, currency, 'en')} are in the wallet of ${account}.`],
    facts: [['Reference', reference]],
    action: { label: 'See the wallet', url: `${panelUrl}/billing` },
  }),
  de: ({ account, amountMinor, currency, reference }, { panelUrl }) => ({
    subject: `${money(amountMinor, currency, 'de')} erhalten`,
    paragraphs: [`Danke: ${money(amountMinor, currency, 'de')} sind im Guthaben von ${account}.`],
    facts: [['Referenz', reference]],
    action: { label: 'Guthaben ansehen', url: `${panelUrl}/billing` },
  }),
};

export const autoTopUpFailed: Template<AutoTopUpFailedValues> = {
  en: ({ account, amountMinor, currency, reason, isOff }, { panelUrl }) => ({
    subject: `The automatic top-up of ${account} failed`,
    paragraphs: [
      `${money(amountMinor, currency, 'en')} could not be charged for the wallet of ${account}.`,
      isOff
        ? 'It has failed some times in a row, and is turned off now.'
        : 'It is tried again; to be sure, top up yourself or choose another method of payment.',
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
