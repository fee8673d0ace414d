/** How a page of ours differs from the strictest one; each exception is for a reason that its caller states. */
export interface PageNeeds {
  /** Sources of styles besides our own files. */
  styles?: string;
  /** Who may show the page in a frame: by default no page, otherwise our own. */
  framedByOwn?: boolean;
  /** What a link or request tells of the address of the page; by default nothing to other sites. */
  referrer?: 'same-origin' | 'no-referrer';
}

/** The headers of all that a browser loads from us, pages or not: taken as its stated type, and by our own pages only. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The headers of every page that we serve as HTML, its type included, so that none is sent without them: nothing is loaded but our own
 * files, no script stands in a page, no text becomes one, and no other site shares its window or shows it in a frame.
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
