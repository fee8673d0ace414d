import type { BillingProfileRow } from '../../db/queries/money/billing-profiles.ts';
import { type FieldProblem, validationFailed } from '../../platform/errors.ts';
import { parseMailAddress } from '../../platform/mail-address.ts';

/** An account's preferences for its documents. */
export type DocumentWishes = Pick<BillingProfileRow, 'order_reference' | 'language' | 'mail_to'>;

/** Maximum number of addresses that an account's documents are mailed to. */
export const MAX_BILLING_CONTACTS = 5;

const NO_WISHES: DocumentWishes = { order_reference: null, language: null, mail_to: [] };

/**
 * Returns the preferences of `input`; fields that it leaves out stay as before. Throws `validation_failed` for invalid
 * mail addresses.
 */
export function documentWishes(
  input: Partial<DocumentWishes>,
  before: DocumentWishes = NO_WISHES,
): DocumentWishes {
  const { order_reference = before.order_reference, language = before.language } = input;
  const addresses = (input.mail_to ?? before.mail_to).map((text) => parseMailAddress(text.trim()));
  const problems = addresses.flatMap((address, index): FieldProblem[] =>
    address === undefined
      ? [
          {
            field: 'mail_to',
            code: 'invalid_format',
            message: `${(input.mail_to ?? before.mail_to)[index]} is not an email address`,
          },
        ]
      : [],
  );
  if (problems.length > 0) throw validationFailed(problems);
  const mail_to = [...new Set(addresses.flatMap((address) => address ?? []))];
  return { order_reference, language, mail_to };
}
