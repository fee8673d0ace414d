/** Every rule that a field can violate, as `code` in `details.fields` of a `validation_failed`, with its meaning. */
export const FIELD_CODES = {
  required: 'The field is missing, or one of several fields is.',
  unknown_field: 'The operation has no such field or query parameter.',
  wrong_type: 'The value has the wrong JSON type, such as a string instead of a number.',
  invalid_format: 'The value has the right type, but not the form that the message describes.',
  invalid_characters: 'The text contains characters that cannot be stored or printed.',
  not_allowed: 'The value is not one of those that are possible here.',
  not_found: 'The value names something that does not exist, or belongs to another account.',
  not_available: 'The value names something that cannot be used at the moment.',
  not_supported: 'The value asks for something that this installation cannot do.',
  incorrect: 'The value must match a secret or a name, and does not.',
  duplicate: 'The list contains the value twice.',
  in_use: 'Something else has the value already.',
  conflict: 'The value contradicts another field, or the resource that it is for.',
  too_short: 'The text has too few characters.',
  too_long: 'The text has too many characters or bytes.',
  too_few: 'The list or object has too few items.',
  too_many: 'The list has too many items, or the value asks for too many.',
  too_small: 'The value is below the minimum.',
  too_large: 'The value is above the maximum.',
  out_of_range: 'The value is outside the range or off its steps.',
  too_precise: 'The value has too many decimal places or is not a multiple of the step.',
  too_weak: 'The password or key is too easy to guess or break.',
  in_the_past: 'The time must be in the future.',
  in_the_future: 'The time must not be in the future.',
} as const;

export type FieldCode = keyof typeof FIELD_CODES;
