import { invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

/** For people's eyes, in a list and a log line. */
const MAX_TEXT = 100;

/** A name or a reference: one line for people. */
export const Line = (example: string, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_TEXT,
    ...(description && { description }),
    examples: [example],
  });

/** What is looked for in a list. */
export const Search = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT, description, examples: ['example'] });

/** Why an operator does it: the customer reads it too. */
export const Reason = Line('goodwill', 'Why; the customer reads it too');

/** What names a thing of the catalog, or an id. */
export const Code = (example: string) => Type.String({ minLength: 1, maxLength: 64, examples: [example] });

/**
 * Refuses text that would disturb a terminal or deceive its reader: nothing but spaces, control
 * characters, characters that turn the direction of writing.
 */
export function requireReadable(field: string, text: string): void {
  if (/\S/.test(text) && !/\p{C}/u.test(text)) return;
  throw invalidField(field, 'not_readable', 'must be visible characters and spaces');
}
