/** Exceptions from the strictest headers; each caller states its reason. */
export interface PageNeeds {
  /** Sources of styles besides our own files. */
  styles?: string;
  /** Lets our own pages show the page in a frame; by default no page may. */
  framedByOwn?: boolean;
  /** The part of the page's address that links and requests reveal; by default nothing to other sites. */
  referrer?: 'same-origin' | 'no-referrer';
}

/**
 * The headers of everything a browser loads from us, pages or not: it must be used as its stated type, and only by
 * our own pages.
 */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Returns the headers of every HTML page. They include the content type, so that no page is sent without them. Only
 * our own files are loaded, inline scripts and text turned into code are blocked, and no other site can share the
 * page's window or show it in a frame.
 */
export function pageHeaders({ styles, framedByOwn = false, referrer = 'same-origin' }: PageNeeds = {}) {
  const own = framedByOwn ? "'self'" : "'none'";
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles ? ` ${styles}` : ''}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${own}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return {
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': referrer,
  };
}
