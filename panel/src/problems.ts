import type { ErrorCode, FieldCode } from './api/codes.ts';
import type { ErrorDetails, FieldProblem } from './api/customer.ts';
import type { ApiError } from './api/errors.ts';
import type { Language } from './settings.ts';

let german: typeof import('./problem-texts.ts') | undefined;

/** Loads the texts of a language, which the first page does not need: until then the service's own messages are shown. */
export async function loadProblemTexts(language: Language): Promise<void> {
  if (language === 'de') german ??= await import('./problem-texts.ts');
}

/** The figures of a message: "must have at least 10 characters" has "10", an amount keeps its currency. */
const figuresOf = (message: string) => message.match(/\d+(?:[.,]\d+)*(?: [A-Z]{3}\b)?|“[^”]+”/g) ?? [];

/** What is wrong with a field, as a sentence. */
export function fieldText({ field, code, message }: FieldProblem, language: Language): string {
  // The service goes on from the name of the field: "must be …".
  if (language === 'en' || !german)
    return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`.replace(/\.\.$/, '.');
  const name = field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? field;
  const { SPECIAL_TEXTS, FIELD_TEXTS } = german;
  const text = SPECIAL_TEXTS[`${name} ${code}`] ?? FIELD_TEXTS[code as FieldCode] ?? FIELD_TEXTS.invalid;
  return typeof text === 'string' ? text : text(...figuresOf(message));
}

/** Why something was refused, as a sentence. */
export function errorText(
  { code, message, details = {} }: Pick<ApiError, 'code' | 'message'> & { details?: ErrorDetails },
  language: Language,
): string {
  const text = language === 'en' ? undefined : german?.ERROR_TEXTS[code as ErrorCode];
  return typeof text === 'function' ? text(details) : (text ?? message);
}

/** The same of anything that was thrown. */
export const messageOf = (error: Error & { code?: string }, language: Language): string =>
  error.code === undefined
    ? error.message
    : errorText({ ...error, code: error.code, message: error.message }, language);
