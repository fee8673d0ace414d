import { useTexts } from '../texts.ts';
import { fieldText, parseMoney } from '../typed-money.ts';
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

/** An amount in units of `currency`, with as many decimals as it has; with a hint where it may be left out. */
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

/** What {@link ReasonField} holds. */
export const reasonOf = (values: FormData) => textOf(values, 'reason').trim();

/**
 * What {@link AmountField} holds as the API wants it, such as "12.50". Empty where it was left out; what is no amount stays as
 * it was typed, for the service to refuse: left out, it would stand for all there is.
 */
export function amountOf(values: FormData, currency: string): string {
  const text = textOf(values, 'amount').trim();
  const minor = parseMoney(text, currency);
  return minor === undefined ? text : fieldText(minor, currency);
}
