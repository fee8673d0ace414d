import type { PaymentProvider } from './provider.ts';

const VALID_MS = 3_600_000;
/**
 * Amounts with these last two digits make the payment fail, or never finish: cases that cannot be tried with real
 * providers.
 */
const DECLINED = 13n;
const UNDECIDED = 42n;
const DECLINE = 'The card was declined.';

/** Pays without money, for development. */
export const testProvider: PaymentProvider = {
  name: 'test',
  validMs: VALID_MS,
  canCharge: true,
  async begin({ id, amountMinor, keepMethod }) {
    const method = {
      customerRef: 'test',
      methodRef: 'test_card',
      label: 'Test card 4242',
      expiresOn: null,
    };
    return {
      next: { kind: 'done' },
      providerRef: id,
      outcome: outcomeOf(id, amountMinor),
      method: keepMethod ? method : null,
    };
  },
  async charge({ id, amountMinor }) {
    return outcomeOf(id, amountMinor);
  },
  async refund({ id, amountMinor }) {
    return amountMinor % 100n === DECLINED
      ? { status: 'failed', error: 'The refund was declined.' }
      : { status: 'succeeded', providerRef: id };
  },
};

function outcomeOf(id: string, amountMinor: bigint) {
  switch (amountMinor % 100n) {
    case DECLINED:
      return { status: 'failed' as const, error: DECLINE };
    case UNDECIDED:
      return { status: 'pending' as const, providerRef: id };
    default:
      return { status: 'succeeded' as const, providerRef: id };
  }
}
