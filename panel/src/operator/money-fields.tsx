import { useTexts } from '../texts.ts';
import { Field } from '../ui/Field.tsx';
import { textOf } from '../ui/Form.tsx';
import { texts } from './texts.ts';

/** What a correction is made for, which stands on the customer's statement. */
export function ReasonField() {
  const t = useTexts(texts);
  return (
    <Field label={t.reason} name="reason" hint={t.reasonHint} isRequired autoComplete="off" maxLength={100} />
  );
}

/** An amount in units of `currency`, such as 12.50; with a hint where it may be left out. */
export function AmountField({
  currency,
  hint,
  autoFocus,
}: {
  currency: string;
  hint?: string;
  autoFocus?: boolean;
}) {
  const t = useTexts(texts);
  return (
    <Field
      label={t.amount}
      name="amount"
      hint={hint}
      mono
      isRequired={hint === undefined}
      autoFocus={autoFocus}
      autoComplete="off"
      inputMode="decimal"
      suffix={currency}
    />
  );
}

/** What {@link ReasonField} holds. */
export const reasonOf = (values: FormData) => textOf(values, 'reason').trim();

/** What {@link AmountField} holds as the API wants it: a comma is a point. Empty where it was left out. */
export const amountOf = (values: FormData) => textOf(values, 'amount').trim().replace(',', '.');
