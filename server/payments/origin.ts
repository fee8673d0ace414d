import type { SecretBox } from '../platform/secrets.ts';

/**
 * Identifies the owner of a payment. A provider stores it with the payment and returns it, so that the payment can be
 * booked even if the top-up is no longer in the books.
 */
export interface Origin {
  topUpId: string;
  accountId: string;
  /** Proves that this installation wrote the origin: others may use the same account at the provider. */
  mark: string;
}

const PURPOSE = 'top_up_origin';
/** Length of the mark: no one can try more than a few. */
const MARK_BYTES = 16;

/** Returns the origin to store with a top-up at the provider. */
export function originOf(secrets: SecretBox, topUpId: string, accountId: string): Origin {
  const mark = secrets.mark(bytesOf({ topUpId, accountId }), PURPOSE).subarray(0, MARK_BYTES).toString('hex');
  return { topUpId, accountId, mark };
}

/** Returns whether this installation wrote the origin. */
export function isOurs(secrets: SecretBox, origin: Origin): boolean {
  const mark = Buffer.from(origin.mark, 'hex');
  return mark.length === MARK_BYTES && secrets.isMark(mark, bytesOf(origin), PURPOSE);
}

const bytesOf = ({ topUpId, accountId }: Pick<Origin, 'topUpId' | 'accountId'>) =>
  Buffer.from(`${topUpId}\0${accountId}`);
