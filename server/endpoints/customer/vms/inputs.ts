import { BILLING_MODES } from '../../../domain/billing/metering.ts';
import { Enum } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const MAX_CHARGE = Type.Integer({
  'x-not-null': true,
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Refuse the operation with `price_changed` if the price is above this amount, in minor units',
});

export const BILLING = Enum(BILLING_MODES, {
  $id: 'BillingMode',
  default: 'monthly',
  description:
    'Monthly or hourly billing. With hourly billing, the monthly price is held in advance as the maximum, and the unused part is refunded',
});

/**
 * Printable ASCII, so that it works with every console and keyboard layout; no colon, newline or space because of
 * chpasswd.
 */
export const PASSWORD = Type.String({
  minLength: 8,
  maxLength: 128,
  pattern: '^[\\x21-\\x39\\x3b-\\x7e]+$',
  'x-expected': 'ASCII letters, digits and punctuation, without spaces or colons',
  description: 'Printable ASCII without spaces or colons',
  examples: ['correct-horse-battery'],
});

export const USERNAME = Type.String({
  pattern: '^[a-z_][a-z0-9_-]{0,31}$',
  'x-expected':
    '1 to 32 lower-case letters, digits, underscores and hyphens, beginning with a letter or an underscore',
  description: 'User inside the guest; defaults to the default user of the template',
  examples: ['root'],
});
