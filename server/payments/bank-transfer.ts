import { randomInt } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { NextStep, PaymentProvider } from './provider.ts';

/** A transfer arrives within days; the operator can still confirm one that comes later. */
const VALID_MS = 14 * 86_400_000;
/** Without similar characters that a customer could confuse when copying them. */
const ALPHABET = '23456789ACDEFGHJKLMNPQRTUVWXYZ';

/**
 * Returns the reference for a customer's transfer, such as "TU-7K3M-9QXD": short enough for every bank's form, and
 * impossible to guess.
 */
export function newReference(): string {
  const letters = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `TU-${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Payment by a transfer to the hoster's account, which the operator confirms. */
export function bankTransfer({
  bankRecipient,
  bankIban,
  bankBic,
}: Pick<Config, 'bankRecipient' | 'bankIban' | 'bankBic'>): PaymentProvider {
  const nextStep = (reference: string): NextStep => ({
    kind: 'bank_transfer',
    reference,
    recipient: bankRecipient!,
    iban: bankIban!,
    bic: bankBic ?? null,
  });
  return {
    name: 'bank_transfer',
    validMs: VALID_MS,
    canCharge: false,
    nextStep,
    async begin({ reference }) {
      return {
        next: nextStep(reference),
        providerRef: null,
        outcome: { status: 'pending', providerRef: null },
        method: null,
      };
    },
  };
}
