import { ConfigError } from '../../../platform/config-error.ts';
import { checkOwnersAlone } from '../../../platform/helper/owners-file.ts';
import { checkOf } from '../../../platform/helper/shapes.ts';
import { type Static, Type } from '../../../platform/schema.ts';
import { readYaml } from '../../../platform/yaml-file.ts';
import { DEVICE_PATTERN } from '../layout.ts';

const Shape = Type.Object(
  {
    devices: Type.Array(Type.String(), { minItems: 1, maxItems: 64 }),
    protected_prefixes: Type.Array(Type.String(), { minItems: 1, maxItems: 1_000 }),
    syn_proxy: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const Strict = Type.Object({
  devices: Type.Array(Type.String({ pattern: DEVICE_PATTERN }), { uniqueItems: true }),
  protected_prefixes: Type.Array(Type.String({ format: 'network' })),
  syn_proxy: Type.Optional(Type.Boolean()),
});
const check: (value: unknown) => asserts value is Static<typeof Strict> = checkOf(Strict);

/** The limits in the host's own configuration on what the service may request. */
export interface EdgeAllowance {
  devices: string[];
  protected_prefixes: string[];
  /** True if SYN may be answered on behalf of targets; false if absent. */
  syn_proxy?: boolean;
}

/**
 * Reads the allowance from a YAML file. Throws {@link ConfigError} if the file is missing, invalid, or writable by
 * other users.
 */
export function loadEdgeAllowance(path: string): EdgeAllowance {
  const { value } = readYaml(path, Shape);
  try {
    checkOwnersAlone(path);
    check(value);
    return value;
  } catch (error) {
    throw new ConfigError([`${path}: ${(error as Error).message}`]);
  }
}
