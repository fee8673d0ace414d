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

/** A password to be set. */
export const NewPassword = Type.String({
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  description: `At least ${MIN_PASSWORD} characters; not what is guessed first`,
  examples: ['seven quiet otters'],
});

/** A password that is checked, of whatever form: what it must be like is no business of who types it. */
export const Password = Type.String({
  minLength: 1,
  maxLength: MAX_PASSWORD,
  examples: ['seven quiet otters'],
});

/** What a person is called; may be empty. */
export const PersonName = Type.String({
  maxLength: 64,
  pattern: '^[^\\p{C}]*$',
  'x-expected': 'a name without line breaks and other control characters',
  description: 'What you are called; may be empty',
  examples: ['Anna Example'],
});

export const Locale = Enum(['en', 'de'], { description: 'The language of mails and of the panel' });

/** The address in the field `email`, as it is stored. */
export function addressOf(email: string): string {
  const address = parseMailAddress(email.trim());
  if (address === undefined)
    throw invalidField('email', 'email', 'must be an address such as anna@example.com');
  return address;
}
