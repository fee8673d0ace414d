import { checkPublicPorts, type PublicPorts, PublicPortsShape } from '../../platform/public-ports.ts';
import { Type } from '../../platform/schema.ts';
import { checkOf, closed, InvalidArgumentError } from '../../platform/strict-shapes.ts';
import { readOwnersFile } from '../owners-file.ts';

/** The limits that the host's own configuration sets for its guests. The service cannot exceed them. */
export interface HostAllowance {
  /** Networks from which guests may have addresses. */
  guest_prefixes: string[];
  /** Addresses of the host, each with its ports ("20000-29999") that may be forwarded to guests. */
  forwards: PublicPorts[];
  /** Range of user ids for guests, one per guest: "1900000000-1900065535". */
  guest_uids: string;
  /**
   * Policy for a guest that cannot be limited to the CPUs, memory, tasks and disk speed that were sold: `required`, the
   * default, refuses it; `best_effort` runs it anyway.
   */
  guest_limits?: 'required' | 'best_effort';
  /** Maximum concurrent connections per guest, in and out together. */
  guest_connections?: number;
  guest_packets_per_second?: number;
}

/** Lower ids belong to named users and those that systemd assigns. */
const LOWEST_UID = 65_536;
/** Some programs treat higher ids as negative numbers. */
const HIGHEST_UID = 2 ** 31 - 1;

const checkShape: (value: unknown) => asserts value is HostAllowance = checkOf<HostAllowance>(
  Type.Object(
    {
      guest_prefixes: Type.Array(Type.String({ format: 'network' }), { minItems: 1, maxItems: 1_000 }),
      forwards: Type.Array(PublicPortsShape, { maxItems: 1_000 }),
      guest_uids: Type.String({ pattern: '^[1-9][0-9]{4,9}-[1-9][0-9]{4,9}$' }),
      guest_limits: Type.Optional(Type.Enum(['required', 'best_effort'])),
      guest_connections: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
      guest_packets_per_second: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
    },
    closed,
  ),
);

export function uidsOf({ guest_uids }: HostAllowance): { from: number; to: number } {
  const [from, to] = guest_uids.split('-').map(Number) as [number, number];
  return { from, to };
}

/** Reads an allowance from a YAML file. Throws {@link ConfigError} if it is missing, invalid, or accessible to others. */
export function loadHostAllowance(path: string): HostAllowance {
  return readOwnersFile<HostAllowance>(path, checkAllowance);
}

function checkAllowance(value: unknown): asserts value is HostAllowance {
  checkShape(value);
  checkPublicPorts(value.forwards);
  const { from, to } = uidsOf(value);
  if (from < LOWEST_UID || to > HIGHEST_UID || from > to)
    throw new InvalidArgumentError(`guest_uids: must lie between ${LOWEST_UID} and ${HIGHEST_UID}, in order`);
}
