import type { PaymentProviderName } from '../config/panel-settings.ts';
import type { Origin } from './origin.ts';

/** What is to be paid, as a provider is given it. */
export interface PaymentOrder {
  /** Of the top-up: the same payment asked for twice under it is made once. */
  id: string;
  /** Said again by the provider with what is paid. */
  origin: Origin;
  /** What the customer names where they have to. */
  reference: string;
  amountMinor: bigint;
  /** ISO 4217. */
  currency: string;
  /** Whether the method is to be kept, for top-ups that happen by themselves. */
  keepMethod: boolean;
  /** As the provider knows the customer, where it does. */
  customerRef: string | null;
  /** Where the customer is to come back to. */
  returnUrl: string;
  expiresAt: Date;
}

/** What the customer does next. */
export type NextStep =
  | { kind: 'done' }
  | { kind: 'redirect'; url: string }
  | { kind: 'bank_transfer'; reference: string; recipient: string; iban: string; bic: string | null };

/** How a payment began. */
export interface Begun {
  next: NextStep;
  /** As the provider knows its page, by which the payment can be called off. */
  sessionRef?: string;
  providerRef: string | null;
  /** What came of it, where that is known at once. */
  outcome: Outcome;
  method: KeptMethod | null;
}

/**
 * What became of a payment. A pending outcome is reported later; a processing one too, of a payment that its customer has made
 * and that the provider works on for days.
 */
export type Outcome =
  | { status: 'succeeded'; providerRef: string | null }
  | { status: 'pending' | 'processing'; providerRef: string | null }
  | { status: 'failed'; error: string };

/** What a provider keeps, so that it can be charged again. */
export interface KeptMethod {
  customerRef: string;
  methodRef: string;
  /** For people, such as "Visa 4242". */
  label: string;
  /** Such as "2030-04". */
  expiresOn: string | null;
}

/** A charge without its customer. */
export interface Charge {
  /** Of the top-up: asked for again under it, it is the same charge. */
  id: string;
  amountMinor: bigint;
  currency: string;
  customerRef: string;
  methodRef: string;
}

export interface Refund {
  /** Of the refund: asked for again under it, it is the same one. */
  id: string;
  /** Of what was paid. */
  providerRef: string;
  amountMinor: bigint;
  currency: string;
}

export type RefundOutcome =
  | { status: 'succeeded' | 'pending'; providerRef: string }
  | { status: 'failed'; error: string };

/** The provider did not answer, or not so that anything follows from it: what was asked for may have happened, or not. */
export class ProviderUnavailableError extends Error {
  override name = 'ProviderUnavailableError';
}

/**
 * A way to pay. It is never called inside a transaction: it may be slow, and what it did cannot be taken back by a
 * rollback. Whatever is asked for again under the same id happens once.
 */
export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /** How long a payment that was begun can be made. */
  readonly validMs: number;
  /** Whether it can keep a method and charge it without its owner. */
  readonly canCharge: boolean;
  /** How many minor units an amount must be a multiple of; any amount where absent. */
  unit?(currency: string): bigint;
  /** Throws {@link ProviderUnavailableError}, or {@link Error} where it refuses: the customer has not been asked for anything. */
  begin(order: PaymentOrder): Promise<Begun>;
  /** What a customer who comes back has left to do, where that needs no page of the provider's. */
  nextStep?(reference: string): NextStep;
  /** Calls off what was begun; false where it is being paid already. Throws {@link ProviderUnavailableError}. */
  cancel?(sessionRef: string): Promise<boolean>;
  /** Keeps a method no longer. The same. */
  forget?(methodRef: string): Promise<void>;
  /** Throws {@link ProviderUnavailableError} where the outcome is unknown. */
  charge?(charge: Charge): Promise<Outcome>;
  /** The same. */
  refund?(refund: Refund): Promise<RefundOutcome>;
}
