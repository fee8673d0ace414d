import type { ErrorCode } from './api/codes.ts';
import type { ErrorDetails, FieldProblem } from './api/customer.ts';
import type { ApiError } from './api/errors.ts';
import type { Language } from './settings.ts';

let german: typeof import('./problem-texts.ts') | undefined;

/**
 * Loads the error texts of a language. The first page does not need them; until they are loaded, the service's own
 * messages are shown.
 */
export async function loadProblemTexts(language: Language): Promise<void> {
  if (language === 'de') german ??= await import('./problem-texts.ts');
}

/** Returns the figures in a message: "10" from "must have at least 10 characters"; an amount keeps its currency. */
const figuresOf = (message: string) => message.match(/\d+(?:[.,]\d+)*(?: [A-Z]{3}\b)?|“[^”]+”/g) ?? [];

/** Returns the problem of a field as a sentence. */
export function fieldText({ field, code, message }: FieldProblem, language: Language): string {
  // The service's message continues the name of the field: "must be …".
  if (language === 'en' || !german)
    return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`.replace(/\.\.$/, '.');
  const name = field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? field;
  const { SPECIAL_TEXTS, FIELD_TEXTS } = german;
  const text = SPECIAL_TEXTS[`${name} ${code}`] ?? FIELD_TEXTS[code] ?? FIELD_TEXTS.not_allowed;
  return typeof text === 'string' ? text : text(...figuresOf(message));
}

/** Returns an error as a sentence. */
export function errorText(
  { code, message, details = {} }: Pick<ApiError, 'code' | 'message'> & { details?: ErrorDetails },
  language: Language,
): string {
  const text = language === 'en' ? undefined : german?.ERROR_TEXTS[code as ErrorCode];
  return typeof text === 'function' ? text(details) : (text ?? message);
}

/** Returns anything thrown as a sentence. */
export const messageOf = (error: Error & { code?: string }, language: Language): string =>
  error.code === undefined
    ? error.message
    : errorText({ ...error, code: error.code, message: error.message }, language);
