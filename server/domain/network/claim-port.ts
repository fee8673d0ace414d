import { randomInt } from 'node:crypto';
import type { Queryable } from '../../db/database.ts';
import {
  claimedPorts,
  claimPort,
  deletePortForward,
  insertPortForward,
  lockPorts,
  type PortForwardRow,
} from '../../db/queries/vms/network.ts';
import { ApiError } from '../../platform/errors.ts';
import type { PortRange } from './ports.ts';

/** Public ports checked per query: a nearly full address takes some dozens of queries. */
const WINDOW = 1_000;
/** Ports become free when other forwards are deleted, which cannot be predicted. */
const RETRY_AFTER_SECONDS = 300;

/** Inserts a port forward with the public port that it names; throws `port_in_use` if another one has it. */
export async function insertOnPort(db: Queryable, forward: PortForwardRow): Promise<PortForwardRow> {
  await lockPorts(db, forward.public_ip);
  const row = await tryInsert(db, forward);
  if (row) return row;
  const { external_port, protocol, public_ip } = forward;
  const message = `Port ${external_port} of ${public_ip} is in use.`;
  throw new ApiError('port_in_use', message, { external_port, protocol, public_ip });
}

/**
 * Inserts a port forward with a public port of `range` that no other forward uses for any protocol; throws
 * `capacity_unavailable` if there is none.
 */
export async function insertOnFreePort(
  db: Queryable,
  forward: Omit<PortForwardRow, 'external_port'>,
  range: PortRange,
): Promise<PortForwardRow> {
  await lockPorts(db, forward.public_ip);
  for await (const external_port of freePorts(db, forward.public_ip, range)) {
    const row = await tryInsert(db, { ...forward, external_port });
    if (row) return row;
  }
  throw new ApiError('capacity_unavailable', `${forward.public_ip} has no free ports left.`, {
    retry_after_seconds: RETRY_AFTER_SECONDS,
  });
}

/** Inserts the row with its claims, or neither: a claim needs the row, and might only win one of two protocols. */
async function tryInsert(db: Queryable, forward: PortForwardRow): Promise<PortForwardRow | undefined> {
  const row = await insertPortForward(db, forward);
  if (await claimPort(db, row)) return row;
  await deletePortForward(db, row.id);
  return undefined;
}

/** Yields ports that look free, from a random one on, so that two callers rarely try the same one. */
async function* freePorts(db: Queryable, publicIp: string, range: PortRange): AsyncGenerator<number> {
  const start = randomInt(range.from, range.to + 1);
  for (const part of [
    { from: start, to: range.to },
    { from: range.from, to: start - 1 },
  ]) {
    for (let from = part.from; from <= part.to; from += WINDOW) {
      const to = Math.min(from + WINDOW - 1, part.to);
      const taken = await claimedPorts(db, publicIp, from, to);
      for (let port = from; port <= to; port++) if (!taken.has(port)) yield port;
    }
  }
}
