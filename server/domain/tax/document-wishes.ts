import type { BillingProfileRow } from '../../db/queries/billing-profiles.ts';
import { type FieldProblem, validationFailed } from '../../platform/errors.ts';
import { parseMailAddress } from '../../platform/mail-address.ts';

/** How an account wants its documents. */
export type DocumentWishes = Pick<BillingProfileRow, 'order_reference' | 'language' | 'mail_to'>;

/** Addresses of an account that documents are mailed to. */
export const MAX_BILLING_CONTACTS = 5;

const NO_WISHES: DocumentWishes = { order_reference: null, language: null, mail_to: [] };

/**
 * Returns the wishes of `input`; what it leaves out stays as it was. Throws `validation_failed` for what is no address of a mail.
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
