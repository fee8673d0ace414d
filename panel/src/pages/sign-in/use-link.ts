import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries.ts';
import { useFragment } from './fragment.ts';

/**
 * Returns the link that opened this page and its purpose. Reading it has no effect: mail scanners and previews open
 * links too, so only a button may use one.
 */
export function useLink() {
  const token = useFragment() || '-';
  // Fetched once: after its button has been pressed, the link no longer works.
  const link = useQuery({ ...read('showLink', { body: { token } }), staleTime: Number.POSITIVE_INFINITY });
  return { token, link };
}
