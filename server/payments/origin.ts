import type { SecretBox } from '../platform/secrets.ts';

/**
 * Whose payment it is, as a provider is told it and says it again: enough to book the payment where the top-up is not in
 * the books any more.
 */
export interface Origin {
  topUpId: string;
  accountId: string;
  /** Shows that this installation has written it: others may use the same account at the provider. */
  mark: string;
}

const PURPOSE = 'top_up_origin';
/** Of the mark: nobody can try more than a few. */
const MARK_BYTES = 16;

/** What the provider is told of a top-up. */
export function originOf(secrets: SecretBox, topUpId: string, accountId: string): Origin {
  const mark = secrets.mark(bytesOf({ topUpId, accountId }), PURPOSE).subarray(0, MARK_BYTES).toString('hex');
  return { topUpId, accountId, mark };
}

/** Whether this installation has written it. */
export function isOurs(secrets: SecretBox, origin: Origin): boolean {
  const mark = Buffer.from(origin.mark, 'hex');
  return mark.length === MARK_BYTES && secrets.isMark(mark, bytesOf(origin), PURPOSE);
}

const bytesOf = ({ topUpId, accountId }: Pick<Origin, 'topUpId' | 'accountId'>) =>
  Buffer.from(`${topUpId}\0${accountId}`);
