import type { PaymentProviderName } from '../config/panel-settings.ts';
import type { Origin } from './origin.ts';

/** A payment as requested from a provider. */
export interface PaymentOrder {
  /** The top-up's id; a provider makes only one payment per id, even if it is requested twice. */
  id: string;
  /** The provider returns the origin with the payment. */
  origin: Origin;
  /** The reference that the customer has to state, if the provider needs one. */
  reference: string;
  amountMinor: bigint;
  /** ISO 4217. */
  currency: string;
  /** True if the payment method will be kept, for automatic top-ups. */
  keepMethod: boolean;
  /** The provider's id of the customer; null if it has none. */
  customerRef: string | null;
  /** The page to which the customer returns. */
  returnUrl: string;
  expiresAt: Date;
}

export type NextStep =
  | { kind: 'done' }
  | { kind: 'redirect'; url: string }
  | { kind: 'bank_transfer'; reference: string; recipient: string; iban: string; bic: string | null };

export interface Begun {
  next: NextStep;
  /** The provider's id of the payment page, with which the payment can be cancelled. */
  sessionRef?: string;
  providerRef: string | null;
  /** The outcome; pending if it is not known yet. */
  outcome: Outcome;
  method: KeptMethod | null;
}

/**
 * The outcome of a payment. After `pending` or `processing`, the final outcome is reported later; `processing` means
 * that the customer has paid and the provider takes days to process the payment.
 */
export type Outcome =
  | { status: 'succeeded'; providerRef: string | null }
  | { status: 'pending' | 'processing'; providerRef: string | null }
  | { status: 'failed'; error: string };

/** A payment method that a provider keeps, so that it can be charged again. */
export interface KeptMethod {
  customerRef: string;
  methodRef: string;
  /** For display, such as "Visa 4242". */
  label: string;
  /** Such as "2030-04". */
  expiresOn: string | null;
}

/** A charge without the customer being present. */
export interface Charge {
  /** The top-up's id; a repeated request with the same id is the same charge. */
  id: string;
  amountMinor: bigint;
  currency: string;
  customerRef: string;
  methodRef: string;
}

export interface Refund {
  /** The refund's id; a repeated request with the same id is the same refund. */
  id: string;
  /** The provider's id of the payment. */
  providerRef: string;
  amountMinor: bigint;
  currency: string;
}

export type RefundOutcome =
  | { status: 'succeeded' | 'pending'; providerRef: string }
  | { status: 'failed'; error: string };

/** The provider did not answer, or gave an inconclusive answer: the requested action may or may not have happened. */
export class ProviderUnavailableError extends Error {
  override name = 'ProviderUnavailableError';
}

/**
 * A payment provider. It is never called inside a transaction: it may be slow, and a rollback cannot undo what it did.
 * A repeated request with the same id has an effect only once.
 */
export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /** The time for which a payment can be completed after its start. */
  readonly validMs: number;
  /** True if the provider can keep a payment method and charge it without its owner. */
  readonly canCharge: boolean;
  /** The number of minor units that an amount must be a multiple of; any amount if absent. */
  unit?(currency: string): bigint;
  /**
   * Throws {@link ProviderUnavailableError}, or {@link Error} if it refuses; in both cases, nothing was requested from
   * the customer.
   */
  begin(order: PaymentOrder): Promise<Begun>;
  /** The next step for a customer who comes back, if that needs no page of the provider. */
  nextStep?(reference: string): NextStep;
  /** Cancels a started payment; false if it is already being paid. Throws {@link ProviderUnavailableError}. */
  cancel?(sessionRef: string): Promise<boolean>;
  /** Deletes a payment method. Throws {@link ProviderUnavailableError}. */
  forget?(methodRef: string): Promise<void>;
  /** Throws {@link ProviderUnavailableError} if the outcome is unknown. */
  charge?(charge: Charge): Promise<Outcome>;
  /** Throws {@link ProviderUnavailableError} if the outcome is unknown. */
  refund?(refund: Refund): Promise<RefundOutcome>;
}
