import { type Static, Type } from '../../platform/schema.ts';
import { checkOf, closed, DEVICE_PATTERN } from '../../platform/strict-shapes.ts';
import { readOwnersFile } from '../owners-file.ts';

const Shape = Type.Object(
  {
    /** Interfaces through which packets to protected addresses arrive. */
    devices: Type.Array(Type.String({ pattern: DEVICE_PATTERN }), {
      minItems: 1,
      maxItems: 64,
      uniqueItems: true,
    }),
    protected_prefixes: Type.Array(Type.String({ format: 'network' }), { minItems: 1, maxItems: 1_000 }),
    /** True if SYN may be answered on behalf of targets; false if absent. */
    syn_proxy: Type.Optional(Type.Boolean()),
  },
  closed,
);

/** The limits in the host's own configuration on what the service may request. */
export type EdgeAllowance = Static<typeof Shape>;

/**
 * Reads the allowance from a YAML file. Throws {@link ConfigError} if the file is missing, invalid, or writable by
 * other users.
 */
export function loadEdgeAllowance(path: string): EdgeAllowance {
  return readOwnersFile<EdgeAllowance>(path, checkOf<EdgeAllowance>(Shape));
}
