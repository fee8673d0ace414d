import { useState } from 'react';

/**
 * The secret of a link: what stands behind the `#` of the address, which is taken out of it, so that it stays neither in
 * the history nor on the screen.
 */
export function useFragment(): string {
  const [secret] = useState(() => decodeURIComponent(location.hash.slice(1)));
  if (location.hash) history.replaceState(history.state, '', location.pathname + location.search);
  return secret;
}
