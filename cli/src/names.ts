import type { Client, List, Vm } from '../../sdk/src/index.ts';
import { safe } from '../../shared/safe-text.ts';
import { EXIT, Failure } from './failure.ts';

/** A kind of thing that can be given by name instead of id. */
interface Kind {
  /** Its name in messages. */
  noun: string;
  prefix: string;
  /** Lists everything that may have the name, given the ids before it in the path. */
  list?: (client: Client, name: string, before: string[]) => List<{ id: string }>;
  names?: (thing: never) => (string | null)[];
}

const kind = <T extends { id: string }>(
  noun: string,
  prefix: string,
  list: (client: Client, name: string, before: string[]) => List<T, unknown>,
  names: (thing: T) => (string | null)[],
): Kind => ({ noun, prefix, list: list as Kind['list'] & {}, names: names as (thing: never) => string[] });

/** By the path segment before the variable; for a field, by its name. */
export const KINDS: Record<string, Kind> = {
  vm: kind(
    'VM',
    'vm_',
    (client, hostname) => client.vms.list({ limit: 100, ...(hostname && { hostname }) }),
    (vm) => [vm.hostname],
  ),
  sshkeys: kind(
    'SSH key',
    'key_',
    (client) => client.sshKeys.list({ limit: 100 }),
    (key) => [key.name, key.fingerprint],
  ),
  snapshots: kind(
    'snapshot',
    'snap_',
    (client, _, [vm]) => client.snapshots.list(vm!, { limit: 100 }),
    (snapshot) => [snapshot.name],
  ),
  firewall: kind(
    'firewall rule',
    'fwr_',
    (client, _, [vm]) => client.firewall.list(vm!, { limit: 100 }),
    (rule) => [rule.description],
  ),
  'port-forwarding': kind(
    'port forward',
    'pfr_',
    (client, _, [vm]) => client.portForwards.list(vm!, { limit: 100 }),
    (rule) => [rule.description, String(rule.external_port)],
  ),
  'console-shares': kind(
    'share link',
    'shr_',
    (client, _, [vm]) => client.consoleShares.list(vm!, { limit: 100 }),
    (share) => [share.label],
  ),
  targets: kind(
    'protected address',
    'tgt_',
    (client, _, [tenant]) => client.shield.targets(tenant!, { limit: 100 }),
    (target) => [target.ip],
  ),
  rules: kind(
    'blocking rule',
    'rul_',
    (client, _, [tenant, target]) => client.shield.rules(tenant!, target!, { limit: 100 }),
    (rule) => [rule.comment],
  ),
  invoices: kind(
    'invoice',
    'inv_',
    (client) => client.billing.invoices({ limit: 100 }),
    (invoice) => [invoice.number],
  ),
  tenants: { noun: 'tenant', prefix: 'ten_' },
};

/** Fields that hold ids, and the kind of thing they identify. */
export const FIELD_KINDS: Record<string, string> = {
  ssh_key_ids: 'sshkeys',
  ssh_key_id: 'sshkeys',
  vm_id: 'vm',
  target_id: 'targets',
};

/** An id is a prefix and 26 characters. */
const isId = (text: string, prefix: string) => new RegExp(`^${prefix}[0-9a-z]{26}$`).test(text);

/** Returns the id for an id or a name. Throws if no thing or more than one has the name. */
export async function idOf(client: Client, which: string, given: string, before: string[]): Promise<string> {
  const { noun, prefix, list, names } = KINDS[which]!;
  if (isId(given, prefix) || !list || !names) return given;
  const found: { id: string }[] = [];
  for await (const thing of list(client, given, before))
    if (thing.id === given || names(thing as never).includes(given)) found.push(thing);
  const [first, ...others] = found;
  if (!first) throw new Failure(EXIT.refused, `There is no ${noun} "${safe(given)}".`);
  if (others.length > 0)
    throw new Failure(
      EXIT.refused,
      `More than one ${noun} is called "${safe(given)}". Give the id of one:`,
      ...found.map(({ id }) => `  ${id}`),
    );
  return first.id;
}

/** Returns a VM by its id or name. */
export async function vmOf(client: Client, given: string): Promise<Vm> {
  return client.vms.get(await idOf(client, 'vm', given, []));
}
