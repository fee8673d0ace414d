import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries.ts';
import { useFragment } from './fragment.ts';

/**
 * The link that this page was opened with, and what it does. Reading it has no effect: mail scanners and previews open
 * links too, so only a button may use one.
 */
export function useLink() {
  const token = useFragment() || '-';
  // Read once: after its button was pressed, the link no longer works.
  const link = useQuery({ ...read('showLink', { body: { token } }), staleTime: Number.POSITIVE_INFINITY });
  return { token, link };
}
