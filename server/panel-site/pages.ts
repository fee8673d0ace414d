import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BuiltFiles } from './built-files.ts';

/** Long enough not to be guessed within the life of a page. */
const NONCE_BYTES = 16;
const THEME = /(?:^|;\s*)vauban_theme=(light|dark)(?:;|$)/;
const LANGUAGE = /(?:^|;\s*)vauban_language=([a-z]{2})(?:;|$)/;

/** The documents of the panel: its pages, a terminal, the operator's pages. */
export type Document = 'index' | 'terminal' | 'operator';

/**
 * Nothing but our own files, no script in a page, and no text that becomes one. React Aria writes a few style sheets, by
 * the nonce. A terminal writes its colours as styles of elements, which no nonce allows: hence a document of its own.
 */
const policy = (document: Document, nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${document === 'terminal' ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${document === 'terminal' ? "'self'" : "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/** What every reply of the panel's site says. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** The theme that was chosen, or undefined where it is the system's. */
export const themeOf = (cookies: string): string | undefined => THEME.exec(cookies)?.[1];

/** Sends a document, in the theme and the language that its reader chose, or undefined where there is no build. */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  files: BuiltFiles,
  document: Document,
): Promise<string | undefined> {
  const template = await files.fresh(`${document}.html`);
  if (!template) return undefined;
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  reply.headers({
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(document, nonce),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': 'same-origin',
    // The names of its scripts change with every build.
    'cache-control': 'no-store',
  });
  return personal(template.content.toString(), request.headers.cookie ?? '', nonce);
}

/** Chosen by cookies that only say this, so that a page is never first drawn in another theme. */
function personal(html: string, cookies: string, nonce: string): string {
  const language = LANGUAGE.exec(cookies)?.[1] ?? 'en';
  const theme = themeOf(cookies);
  const root = `<html lang="${language}"${theme ? ` data-theme="${theme}"` : ''}>`;
  return html
    .replace('<html lang="en">', root)
    .replace('property="csp-nonce" content=""', `property="csp-nonce" content="${nonce}"`);
}
