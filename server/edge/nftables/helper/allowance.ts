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

/** What the host's own configuration lets the service have: it can ask for no more. */
export interface EdgeAllowance {
  devices: string[];
  protected_prefixes: string[];
  /** Whether SYN may be answered in the place of targets; not where it is absent. */
  syn_proxy?: boolean;
}

/** Reads it from a YAML file; throws {@link ConfigError} where that is missing, wrong, or open to others. */
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
