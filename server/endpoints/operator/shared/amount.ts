import { amountToMinor } from '../../../domain/accounts/book-payment.ts';
import { invalidField } from '../../../platform/errors.ts';
import type { FieldCode } from '../../../platform/field-codes.ts';
import { Type } from '../../../platform/schema.ts';

/** An amount of money, given in one of two fields. */
export const AmountFields = {
  amount: Type.Optional(
    Type.String({ description: 'In major units; alternatively, send `amount_minor`', examples: ['49.90'] }),
  ),
  amount_minor: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'In minor units; alternatively, send `amount`',
    }),
  ),
};

interface Amount {
  amount?: string;
  amount_minor?: number;
}

/** Returns the amount in minor units of `currency`; undefined if neither field is given. */
export function optionalAmount({ amount, amount_minor }: Amount, currency: string): bigint | undefined {
  if (amount !== undefined && amount_minor !== undefined) throw oneOf('conflict');
  if (amount !== undefined) return amountToMinor(amount, currency);
  return amount_minor === undefined ? undefined : BigInt(amount_minor);
}

/** Returns the amount in minor units of `currency`; throws if neither field is given. */
export function amountOf(given: Amount, currency: string): bigint {
  const amount = optionalAmount(given, currency);
  if (amount === undefined) throw oneOf('required');
  return amount;
}

export const amountField = ({ amount }: Amount) =>
  amount === undefined ? ('amount_minor' as const) : ('amount' as const);

const oneOf = (code: FieldCode) => invalidField('amount', code, 'give either amount or amount_minor');
