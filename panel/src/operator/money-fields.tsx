import { useTexts } from '../texts.ts';
import { fieldText, parseMoney } from '../typed-money.ts';
import { Field } from '../ui/Field.tsx';
import { textOf } from '../ui/Form.tsx';
import { texts } from './texts.ts';

/** The reason for a correction. Customers see it on their statement. */
export function ReasonField() {
  const t = useTexts(texts);
  return (
    <Field label={t.reason} name="reason" hint={t.reasonHint} isRequired autoComplete="off" maxLength={100} />
  );
}

/**
 * An amount in major units of `currency`, with as many decimals as the currency has. With a `hint` the field is
 * optional.
 */
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
      validate={(value) =>
        value.trim() !== '' && parseMoney(value, currency) === undefined ? t.notAnAmount(currency) : null
      }
      suffix={currency}
    />
  );
}

export const reasonOf = (values: FormData) => textOf(values, 'reason').trim();

/**
 * Returns the value of {@link AmountField} as the API expects it, such as "12.50", or an empty string if it was left
 * out. Invalid text is passed on for the service to refuse: leaving it out would mean the full amount.
 */
export function amountOf(values: FormData, currency: string): string {
  const text = textOf(values, 'amount').trim();
  const minor = parseMoney(text, currency);
  return minor === undefined ? text : fieldText(minor, currency);
}
