import { isIP } from 'node:net';
import { checkPublicPorts, type PublicPorts, PublicPortsShape } from '../../../platform/helper/forwards.ts';
import { readOwnersFile } from '../../../platform/helper/owners-file.ts';
import { checkOf, InvalidArgumentError } from '../../../platform/helper/shapes.ts';
import { Type } from '../../../platform/schema.ts';

/** What the host's own configuration lets the service forward: it can ask for no more. */
export interface GatewayAllowance {
  /** Networks that forwards may lead to, and nowhere else. */
  guest_prefixes: string[];
  /** Public addresses, each with the ports of it that may be forwarded. */
  forwards: PublicPorts[];
}

const checkShape: (value: unknown) => asserts value is GatewayAllowance = checkOf<GatewayAllowance>(
  Type.Object(
    {
      guest_prefixes: Type.Array(Type.String({ format: 'network' }), { minItems: 1, maxItems: 1_000 }),
      forwards: Type.Array(PublicPortsShape, { minItems: 1, maxItems: 1_000 }),
    },
    { additionalProperties: false },
  ),
);

/** Reads it from a YAML file; throws {@link ConfigError} where that is missing, wrong, or open to others. */
export function loadGatewayAllowance(path: string): GatewayAllowance {
  return readOwnersFile<GatewayAllowance>(path, check);
}

function check(value: unknown): asserts value is GatewayAllowance {
  checkShape(value);
  checkPublicPorts(value.forwards);
  if (!value.guest_prefixes.some((network) => isIP(network.split('/')[0]!) === 4))
    throw new InvalidArgumentError('guest_prefixes: needs a network of IPv4, as forwards lead nowhere else');
}
