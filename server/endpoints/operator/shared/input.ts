import { invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

/** Short enough for a list and a line in the log. */
const MAX_TEXT = 100;

/** A name or a reference: one line for people. */
export const Line = (example: string, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_TEXT,
    ...(description && { description }),
    examples: [example],
  });

export const Search = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT, description, examples: ['example'] });

/** The operator's reason, which the customer also reads. */
export const Reason = Line('goodwill', 'Reason; visible to the customer');

/** The code of something in the catalog, or an id. */
export const Code = (example: string) => Type.String({ minLength: 1, maxLength: 64, examples: [example] });

/**
 * Refuses text that would disturb a terminal or deceive its reader: only spaces, control characters, characters that
 * change the direction of writing.
 */
export function requireReadable(field: string, text: string): void {
  if (/\S/.test(text) && !/\p{C}/u.test(text)) return;
  throw invalidField(field, 'invalid_characters', 'must be visible characters and spaces');
}
