import { MAX_PASSWORD, MIN_PASSWORD } from '../../../access/passwords.ts';
import { Enum } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { parseMailAddress } from '../../../platform/mail-address.ts';
import { Type } from '../../../platform/schema.ts';

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  description: 'A mail address',
  examples: ['anna@example.com'],
});

export const NewPassword = Type.String({
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: `At least ${MIN_PASSWORD} characters, and not easy to guess`,
  examples: ['seven quiet otters'],
});

/** A password to be checked, in any form: the rules for new passwords do not concern the person typing it. */
export const Password = Type.String({
  minLength: 1,
  maxLength: MAX_PASSWORD,
  examples: ['seven quiet otters'],
});

export const PersonName = Type.String({
  maxLength: 64,
  pattern: '^[^\\p{C}]*$',
  'x-expected': 'a name without line breaks or other control characters',
  description: 'Your name; may be empty',
  examples: ['Anna Example'],
});

export const Locale = Enum(['en', 'de'], { description: 'Language of mails and the panel' });

/** Returns the address in the field `email` in the form in which it is stored. */
export function addressOf(email: string): string {
  const address = parseMailAddress(email.trim());
  if (address === undefined)
    throw invalidField('email', 'invalid_format', 'must be an address such as anna@example.com');
  return address;
}
