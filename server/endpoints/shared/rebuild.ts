import { Type } from '../../platform/schema.ts';

/** As many as a new VM may have. */
const MOST_KEYS = 20;

export const RebuildFields = {
  template: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A template of the catalog',
    examples: ['debian-12'],
  }),
  ssh_key_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: MOST_KEYS,
      uniqueItems: true,
      description: "Keys of the account to use instead of the VM's current keys",
    }),
  ),
  delete_snapshots: Type.Optional(
    Type.Boolean({
      description: 'Delete existing snapshots instead of refusing; snapshots in `error` are always deleted',
    }),
  ),
};
