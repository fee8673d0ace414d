import { parseListing } from '../../../platform/nft.ts';
import type { NetworkPolicy } from '../../driver.ts';
import type { Entry } from './batch.ts';
import { run } from './commands.ts';

/**
 * What a guest may receive at once, as a share of a second: senders come in bursts, and TCP that loses the end of each
 * never gets near the speed that was sold.
 */
const BURST_SECONDS = 0.1;
/** The largest packet that a card with segmentation offload hands over, twice. */
const MIN_BURST_BYTES = 128 * 1024;
/** How long a packet may wait for its turn before it is dropped. */
const QUEUE_MS = 50;
/** Names our queue among others: what an operator has put on an interface stays. */
const HANDLE = '7a11:';

type Speed = Pick<NetworkPolicy, 'bandwidthBps'>;

function burstBytes(bps: number): number {
  return Math.max(MIN_BURST_BYTES, Math.ceil((bps / 8) * BURST_SECONDS));
}

/**
 * How fast a guest may send, as a rule of nft: what it sends beyond that is dropped, as there is no queue where packets
 * come in. It may send a second's worth at once: less than that nft has no word for.
 */
export function speedRules({ bandwidthBps: bps }: Speed): string[] {
  if (bps === undefined) return [];
  return [`limit rate over ${Math.ceil(bps / 8)} bytes/second drop`];
}

/** Commands for `tc -batch` that make how fast interfaces pass on to their guests what `speeds` says. */
export function queueLines(speeds: Map<string, Speed>, present: { dev: string; handle: string }[]): string[] {
  const devices = new Set(present.map(({ dev }) => dev));
  const slowed = new Set(present.filter(({ handle }) => handle === HANDLE).map(({ dev }) => dev));
  return [...speeds].flatMap(([tap, { bandwidthBps: bps }]) => {
    if (!devices.has(tap)) return [];
    if (bps === undefined) return slowed.has(tap) ? [`qdisc del dev ${tap} root`] : [];
    const shape = `rate ${bps}bit burst ${burstBytes(bps)} latency ${QUEUE_MS}ms`;
    return [`qdisc replace dev ${tap} root handle ${HANDLE} tbf ${shape}`];
  });
}

/** Makes how fast guests receive what `speeds` says, by their interfaces; one that has none is not running. */
export async function applyQueues(speeds: Map<string, Speed>): Promise<void> {
  const shown = await run('tc', ['-j', 'qdisc', 'show']);
  const lines = queueLines(speeds, parseListing(shown) as Parameters<typeof queueLines>[1]);
  if (lines.length > 0) await run('tc', ['-batch', '-'], `${lines.join('\n')}\n`);
}

/** What {@link applyQueues} takes, of guests' places in the table. */
export const speedsOf = (entries: Entry[]) => new Map(entries.map(({ card, policy }) => [card.tap, policy]));
