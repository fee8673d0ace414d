import { isIP } from 'node:net';
import { checkPublicPorts, type PublicPorts, PublicPortsShape } from '../../platform/public-ports.ts';
import { Type } from '../../platform/schema.ts';
import { checkOf, closed, InvalidArgumentError } from '../../platform/strict-shapes.ts';
import { readOwnersFile } from '../owners-file.ts';

/** The limits in the host's own configuration on what the service may forward. */
export interface GatewayAllowance {
  /** Networks that forwards may lead to; all others are refused. */
  guest_prefixes: string[];
  /** Public addresses, each with its ports that may be forwarded. */
  forwards: PublicPorts[];
}

const checkShape: (value: unknown) => asserts value is GatewayAllowance = checkOf<GatewayAllowance>(
  Type.Object(
    {
      guest_prefixes: Type.Array(Type.String({ format: 'network' }), { minItems: 1, maxItems: 1_000 }),
      forwards: Type.Array(PublicPortsShape, { minItems: 1, maxItems: 1_000 }),
    },
    closed,
  ),
);

/**
 * Reads the allowance from a YAML file. Throws {@link ConfigError} if the file is missing, invalid, or writable by
 * other users.
 */
export function loadGatewayAllowance(path: string): GatewayAllowance {
  return readOwnersFile<GatewayAllowance>(path, check);
}

function check(value: unknown): asserts value is GatewayAllowance {
  checkShape(value);
  checkPublicPorts(value.forwards);
  if (!value.guest_prefixes.some((network) => isIP(network.split('/')[0]!) === 4))
    throw new InvalidArgumentError(
      'guest_prefixes: needs an IPv4 network, because ports are only forwarded to IPv4',
    );
}
