import { instant, money, type Template } from '../content.ts';
import type { TopUpValues } from './money.ts';

export interface TopUpEndedValues extends TopUpValues {
  /** The provider's reason for the failure; null if the top-up was not paid in time. */
  reason: string | null;
}

/** A top-up that was refunded to the payment method it came from. */
export interface RefundValues extends TopUpValues {
  reason: string;
}

/** Money that is back in the wallet, after a dispute was won or a refund was rejected by its bank. */
export interface ReturnedValues extends TopUpValues {
  kind: 'refund' | 'dispute';
}

export interface CreditValues {
  account: string;
  amountMinor: number;
  currency: string;
  expiresAt: string;
}

export const topUpEnded: Template<TopUpEndedValues> = {
  en: ({ account, amountMinor, currency, reference, reason }, { panelUrl }) => {
    const amount = money(amountMinor, currency, 'en');
    return {
      subject: reason === null ? `Your top-up of ${amount} has expired` : `Your top-up of ${amount} failed`,
      paragraphs: [
        reason === null
          ? `The top-up of ${amount} for ${account} was not paid in time. Nothing was charged.`
          : `The top-up of ${amount} for ${account} failed. Your wallet has not changed.`,
        'If you still need the money, please top up again.',
      ],
      facts: [['Reference', reference], ...(reason === null ? [] : [['Reason', reason] as const])],
      action: { label: 'Top up', url: `${panelUrl}/billing/top-up` },
    };
  },
  de: ({ account, amountMinor, currency, reference, reason }, { panelUrl }) => {
    const amount = money(amountMinor, currency, 'de');
    return {
      subject:
        reason === null
          ? `Ihre Aufladung über ${amount} ist abgelaufen`
          : `Ihre Aufladung über ${amount} ist fehlgeschlagen`,
      paragraphs: [
        reason === null
          ? `Die Aufladung über ${amount} für ${account} wurde nicht rechtzeitig bezahlt. Es wurde nichts abgebucht.`
          : `Die Aufladung über ${amount} für ${account} ist fehlgeschlagen. Das Guthaben ist unverändert.`,
        'Wenn Sie das Guthaben noch brauchen, laden Sie es bitte erneut auf.',
      ],
      facts: [['Referenz', reference], ...(reason === null ? [] : [['Grund', reason] as const])],
      action: { label: 'Guthaben aufladen', url: `${panelUrl}/billing/top-up` },
    };
  },
};

export const topUpRefunded: Template<RefundValues> = {
  en: ({ account, amountMinor, currency, reference, reason }, { panelUrl }) => {
    const amount = money(amountMinor, currency, 'en');
    return {
      subject: `${amount} refunded`,
      paragraphs: [
        `${amount} from the wallet of ${account} was refunded to the card or bank account that paid it. It may take your bank a few days to show it.`,
      ],
      facts: [
        ['Payment', reference],
        ['Reason', reason],
      ],
      action: { label: 'View wallet', url: `${panelUrl}/billing` },
    };
  },
  de: ({ account, amountMinor, currency, reference, reason }, { panelUrl }) => {
    const amount = money(amountMinor, currency, 'de');
    return {
      subject: `${amount} erstattet`,
      paragraphs: [
        `${amount} aus dem Guthaben von ${account} wurden auf die Karte oder das Bankkonto zurückgezahlt, von dem sie kamen. Bis Ihre Bank das zeigt, können einige Tage vergehen.`,
      ],
      facts: [
        ['Zahlung', reference],
        ['Grund', reason],
      ],
      action: { label: 'Guthaben ansehen', url: `${panelUrl}/billing` },
    };
  },
};

export const paymentReturned: Template<ReturnedValues> = {
  en: ({ account, amountMinor, currency, reference, kind }, { panelUrl }) => {
    const amount = money(amountMinor, currency, 'en');
    return {
      subject: kind === 'dispute' ? `The dispute over ${amount} has ended` : `A refund of ${amount} failed`,
      paragraphs: [
        kind === 'dispute'
          ? `The dispute over a payment to ${account} was decided in our favor.`
          : `The bank did not accept a refund to ${account}.`,
        'The amount is back in your wallet, and you owe nothing for this payment.',
      ],
      facts: [
        ['Payment', reference],
        ['Amount', amount],
      ],
      action: { label: 'View wallet', url: `${panelUrl}/billing` },
    };
  },
  de: ({ account, amountMinor, currency, reference, kind }, { panelUrl }) => {
    const amount = money(amountMinor, currency, 'de');
    return {
      subject:
        kind === 'dispute'
          ? `Der Widerspruch gegen ${amount} ist erledigt`
          : `Eine Erstattung von ${amount} ist fehlgeschlagen`,
      paragraphs: [
        kind === 'dispute'
          ? `Über den Widerspruch gegen eine Zahlung für ${account} wurde zu unseren Gunsten entschieden.`
          : `Die Bank hat eine Erstattung für ${account} nicht angenommen.`,
        'Der Betrag ist wieder in Ihrem Guthaben, und aus dieser Zahlung schulden Sie nichts.',
      ],
      facts: [
        ['Zahlung', reference],
        ['Betrag', amount],
      ],
      action: { label: 'Guthaben ansehen', url: `${panelUrl}/billing` },
    };
  },
};

export const creditGiven: Template<CreditValues & { reason: string }> = {
  en: ({ account, amountMinor, currency, expiresAt, reason }, { panelUrl }) => ({
    subject: `${money(amountMinor, currency, 'en')} of promotional credit for ${account}`,
    paragraphs: [
      `You have received ${money(amountMinor, currency, 'en')} of promotional credit. It is used for your next charges, before your own money.`,
    ],
    facts: [
      ['Reason', reason],
      ['Valid until', instant(expiresAt, 'en')],
    ],
    action: { label: 'View wallet', url: `${panelUrl}/billing` },
  }),
  de: ({ account, amountMinor, currency, expiresAt, reason }, { panelUrl }) => ({
    subject: `${money(amountMinor, currency, 'de')} Aktionsguthaben für ${account}`,
    paragraphs: [
      `Sie haben ${money(amountMinor, currency, 'de')} Aktionsguthaben erhalten. Damit werden Ihre nächsten Kosten bezahlt, vor Ihrem eigenen Geld.`,
    ],
    facts: [
      ['Grund', reason],
      ['Gültig bis', instant(expiresAt, 'de')],
    ],
    action: { label: 'Guthaben ansehen', url: `${panelUrl}/billing` },
  }),
};

export const creditExpiring: Template<CreditValues> = {
  en: ({ account, amountMinor, currency, expiresAt }, { panelUrl }) => ({
    subject: `${money(amountMinor, currency, 'en')} of promotional credit for ${account} will expire`,
    paragraphs: [
      `${money(amountMinor, currency, 'en')} of your promotional credit is unused and will expire on ${instant(expiresAt, 'en')}.`,
    ],
    action: { label: 'View wallet', url: `${panelUrl}/billing` },
  }),
  de: ({ account, amountMinor, currency, expiresAt }, { panelUrl }) => ({
    subject: `${money(amountMinor, currency, 'de')} Aktionsguthaben für ${account} verfallen bald`,
    paragraphs: [
      `${money(amountMinor, currency, 'de')} Ihres Aktionsguthabens sind nicht verbraucht und verfallen am ${instant(expiresAt, 'de')}.`,
    ],
    action: { label: 'Guthaben ansehen', url: `${panelUrl}/billing` },
  }),
};
