import { parseListing } from '../../../platform/nftables/program.ts';
import type { NetworkPolicy } from '../../driver.ts';
import type { Entry } from './batch.ts';
import { run } from './commands.ts';

/**
 * Burst that a guest may receive, in seconds of its bandwidth. Senders come in bursts, and TCP that loses the end of
 * each burst never gets near the bandwidth sold.
 */
const BURST_SECONDS = 0.1;
/** Twice the largest packet that a card with segmentation offload hands over. */
const MIN_BURST_BYTES = 128 * 1024;
/** Time that a packet may be queued before it is dropped. */
const QUEUE_MS = 50;
/** Identifies our queue, so that one an operator has put on an interface stays. */
const HANDLE = '7a11:';

type Speed = Pick<NetworkPolicy, 'bandwidthBps'>;

function burstBytes(bps: number): number {
  return Math.max(MIN_BURST_BYTES, Math.ceil((bps / 8) * BURST_SECONDS));
}

/**
 * Returns the nft rule that limits how fast a guest may send. Excess packets are dropped, because there is no queue for
 * incoming packets. Bursts of up to a second's worth pass: nft cannot express a smaller one.
 */
export function speedRules({ bandwidthBps: bps }: Speed): string[] {
  if (bps === undefined) return [];
  return [`limit rate over ${Math.ceil(bps / 8)} bytes/second drop`];
}

/** Returns commands for `tc -batch` that set the speed at which interfaces deliver to their guests to `speeds`. */
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

/** Sets the speed at which guests receive, by interface. A guest without an interface is not running and is skipped. */
export async function applyQueues(speeds: Map<string, Speed>): Promise<void> {
  const shown = await run('tc', ['-j', 'qdisc', 'show']);
  const lines = queueLines(speeds, parseListing(shown) as Parameters<typeof queueLines>[1]);
  if (lines.length > 0) await run('tc', ['-batch', '-'], `${lines.join('\n')}\n`);
}

/** Returns the argument of {@link applyQueues} for these entries. */
export const speedsOf = (entries: Entry[]) => new Map(entries.map(({ card, policy }) => [card.tap, policy]));
