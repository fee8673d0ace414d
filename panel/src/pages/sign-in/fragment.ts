import { useState } from 'react';

/**
 * Returns the secret of a link from behind the `#` of the URL and removes it there, so that it stays neither in the
 * history nor on the screen.
 */
export function useFragment(): string {
  const [secret] = useState(() => decodeURIComponent(location.hash.slice(1)));
  if (location.hash) history.replaceState(history.state, '', location.pathname + location.search);
  return secret;
}
