import assert from 'node:assert/strict';
import { engine } from '../../support/database.ts';
import { TINY_REGION } from '../support/catalog.ts';
import type { Call, Client } from '../support/client.ts';
import { OPERATIONS, type Operation } from '../support/document.ts';
import { ENGINE } from '../support/engine.ts';
import type { Machines } from '../support/machines.ts';
import type { Operator } from '../support/operator.ts';
import type { Vm } from '../support/shapes.ts';
import { type Ids, validCall } from '../support/valid-calls.ts';
import { equip, furnish, newSubject, newVm, SMALL, type Subject } from '../support/world.ts';

/** Provokes every refusal that depends on the state of things, on each operation that documents it. */

/** Accounts in particular situations, in which calls are refused. */
interface Stage {
  /** A rich account with a running VM and one of everything. */
  own: Subject;
  /** An account like `own`, but its VM has a larger plan and is in a region that does not sell every plan. */
  abroad: Subject;
  /** An account with a VM whose deletion never ends. */
  stuck: Subject;
  /** An account with a VM whose creation failed. */
  neverMade: Subject;
  /** An account with a VM that does not respond. */
  silent: Subject;
  /** An account that has used up every quota. */
  full: Subject;
  /** An account that has spent all of its money. */
  poor: Subject;
  /** An account with a VM in a region without free capacity. */
  tiny: Subject;
}

interface Plan {
  code: string;
  price_monthly_minor: number;
}

const ONE_OF_EACH = {
  vms: 1,
  vcpu: 1,
  ram_mb: 1024,
  disk_gb: 20,
  snapshots_per_vm: 1,
  firewall_rules_per_vm: 1,
  port_forwards_per_vm: 1,
  ssh_keys: 1,
};

const withVm = (subject: Subject, { id }: Vm): Subject => ({ ...subject, ids: { ...subject.ids, vm: id } });

export async function priceOfSmallest(client: Client): Promise<number> {
  const { plans } = await client.ok<{ plans: Plan[] }>('listPublicPlans');
  return plans.find(({ code }) => code === SMALL.plan)!.price_monthly_minor;
}

export async function setStage(operator: Operator, machines: Machines, own: Subject): Promise<Stage> {
  const { client } = own;
  const balance = await priceOfSmallest(client);
  // Quotas are checked before funds, so this account may be poor as well.
  const full = await newSubject(operator, client, { balance, limits: ONE_OF_EACH });
  full.ids = await equip(full, 'full');
  const share = { at: [full.ids.vm!], body: { mode: 'read_only' } };
  while ((await full.client.call('createConsoleShare', share)).status === 200);
  await fillTarget(full);
  const poor = await newSubject(operator, client, { balance });
  poor.ids = await equip(poor, 'poor');
  const doomed = await machines.undeletable(client);
  const stuck = { ...own, ids: { ...own.ids, ...(await furnish(client, doomed.id)) } };
  await client.ok('deleteVm', { at: [doomed.id] });
  return {
    own,
    abroad: withVm(own, await newVm(client, 'abroad', { plan: 's2', region: 'eu-west' })),
    stuck,
    neverMade: withVm(own, await machines.neverMade(client)),
    silent: withVm(own, await machines.silent(client)),
    full,
    poor,
    tiny: withVm(own, await fillTinyRegion(own)),
  };
}

/** Adds as many rules to the target as are allowed. */
async function fillTarget({ client, ids }: Subject): Promise<void> {
  const at = [ids.tenants!, ids.targets!];
  const [target] = await client.ok<{ rules_limit: number; rules_count: number }[]>('listShieldTargets', {
    at: [ids.tenants!],
  });
  for (let port = target!.rules_count; port < target!.rules_limit; port++) {
    const body = { action: 'block', protocol: 'tcp', source_ports: [`${port}`] };
    await client.ok('addShieldRule', { at, body });
  }
}

/** Buys VMs in the tiny region until no address is left, then takes its last port. Returns the first VM. */
async function fillTinyRegion({ client }: Subject): Promise<Vm> {
  const first = await newVm(client, 'tiny', { region: TINY_REGION });
  const more = { ...(validCall(operation('createVm'), {}).body as object), region: TINY_REGION };
  while ((await client.call('createVm', { body: more })).status === 200);
  await client.ok('addPortForward', { at: [first.id], body: { protocol: 'tcp', internal_port: 22 } });
  return first;
}

const operation = (id: string) => OPERATIONS.find((candidate) => candidate.id === id)!;

/** The caller, and the differences from the valid call. */
interface Attempt {
  subject: Subject;
  body?: Record<string, unknown>;
  query?: Call['query'];
  headers?: Call['headers'];
}

type Provocation = (stage: Stage, operation: Operation) => Attempt | Promise<Attempt>;

/** Puts fields into the body of an operation that changes something, or into the query of one that reads. */
const wish = ({ method }: Operation, fields: Record<string, string | number>) =>
  method === 'GET' ? { query: fields } : { body: fields };

const PROVOCATIONS: Record<string, Provocation> = {
  invalid_cursor: ({ own }) => ({ subject: own, query: { cursor: 'not-one-of-ours' } }),
  insufficient_funds: ({ poor }) => ({ subject: poor }),
  quota_exceeded: ({ full }) => ({ subject: full }),
  price_changed: ({ own }) => ({ subject: own, body: { max_charge_minor: 0 } }),
  vm_locked: ({ stuck }) => ({ subject: stuck }),
  vm_must_be_stopped: ({ own }) => ({ subject: own, body: { allow_reboot: false } }),
  guest_agent_unavailable: ({ silent }) => ({ subject: silent }),
  unknown_plan: ({ own }, op) => ({ subject: own, ...wish(op, { plan: 'no-such-plan' }) }),
  unknown_template: ({ own }) => ({ subject: own, body: { template: 'no-such-template' } }),
  plan_not_available_in_region: ({ abroad }, op) => ({
    subject: abroad,
    ...wish(op, { plan: 'd8', ...(op.id === 'createVm' && { region: 'eu-west' }) }),
  }),
  same_plan: ({ own }, op) => ({
    subject: own,
    body: op.id === 'changeCustom' ? { vcpu: 1, ram_mb: 1024 } : { plan: 's1' },
  }),
  disk_shrink_not_supported: ({ abroad }, op) => ({
    subject: abroad,
    ...(op.id === 'changeCustom' ? { body: { disk_gb: 20 } } : wish(op, { plan: 's1' })),
  }),
  // A VM that is being deleted is locked by its job, so only operations that need no lock reach the check of its state.
  invalid_state: ({ neverMade, stuck }, op) => ({
    subject: op.codes.includes('vm_locked') ? neverMade : stuck,
  }),
  rule_exists: async ({ own }, op) => ({
    subject: own,
    body:
      op.id === 'addShieldRule'
        ? await first(own, 'listShieldRules', SHIELD_RULE_INPUT)
        : await first(own, 'listFirewallRules', RULE_INPUT),
  }),
  port_in_use: async ({ own }) => ({
    subject: own,
    body: await first(own, 'listPortForwards', ['external_port']),
  }),
  ssh_key_exists: async ({ own }) => ({
    subject: own,
    body: await first(own, 'listSshKeys', ['public_key']),
  }),
  document_unavailable: ({ own }) => ({ subject: own, headers: { accept: 'application/pdf' } }),
  approval_not_pending: ({ own }) => ({
    subject: own,
    body: { message: undefined, approval: { id: 'apr_00000000000000000000000000', decision: 'approve' } },
  }),
  capacity_unavailable: ({ own, tiny }, op) => TOO_MUCH[op.id]?.(own) ?? { subject: tiny },
};

/** Operations that ask for more than is available. The others take the last address or port of the tiny region. */
const TOO_MUCH: Record<string, (own: Subject) => Attempt> = {
  createVm: (own) => ({ subject: own, body: { region: TINY_REGION } }),
  changePlan: (own) => ({ subject: own, body: { plan: 'd8' } }),
  changeCustom: (own) => ({ subject: own, body: { ram_mb: 65_536 } }),
};

const SHIELD_RULE_INPUT = [
  'action',
  'protocol',
  'source',
  'source_ports',
  'destination_ports',
  'packet_length',
  'tcp_flags',
  'fragments',
  'rate',
];
const RULE_INPUT = ['direction', 'action', 'protocol', 'ports', 'cidrs'];

/** Returns the named fields of the first item of a list. */
async function first(
  { client, ids }: Subject,
  list: string,
  fields: string[],
): Promise<Record<string, unknown>> {
  const [item] = await client.ok<Record<string, unknown>[]>(list, validCall(operation(list), ids));
  return Object.fromEntries(fields.map((field) => [field, item![field]]));
}

/** Provoked by the story of that name. */
const IN_ARREARS = [['deleteSnapshot', 'invalid_state']];

interface Exception {
  reason: string;
  /** The code of an error; or `ok`. */
  code: string;
  /** The affected operations; by default all that document the code. */
  operations?: string[];
  /** The database or compute engine to which the exception is limited. */
  on?: typeof engine | typeof ENGINE;
}

/** Outcomes that no caller can provoke. In-process tests cover the code that returns them. */
const NEVER_PROVOKED: Exception[] = [
  { reason: 'it would be a bug', code: 'internal_error' },
  { reason: 'no caller can take the database away', code: 'service_unavailable' },
  {
    reason: 'it takes two hundred runs at once, or a service that is about to stop',
    code: 'agent_unavailable',
  },
  { reason: 'no caller can take the engine away', code: 'compute_unavailable' },
  {
    reason: 'the simulated engine has room for everything; only addresses and ports run out',
    code: 'capacity_unavailable',
    operations: ['changePlan', 'changeCustom'],
    on: 'simulator',
  },
  {
    reason: 'there are disks for all that fits into the memory, and their snapshots',
    code: 'capacity_unavailable',
    operations: ['createSnapshot'],
  },
  {
    reason: 'the embedded database does one transaction after the other, so a twin waits and is answered',
    code: 'idempotency_in_progress',
    on: 'pglite',
  },
  {
    reason:
      'only an account has such a country that chose it before there was a table; test/panel/money.test.ts has one',
    code: 'invalid_state',
    operations: ['createVm'],
  },
];

/** Returns why no caller can provoke this outcome of an operation here; undefined if one can. */
export function whyNever(operationId: string, outcome: string): string | undefined {
  return NEVER_PROVOKED.find(
    ({ code, operations, on }) =>
      code === outcome &&
      (operations?.includes(operationId) ?? true) &&
      (on === undefined || on === engine || on === ENGINE),
  )?.reason;
}

/** Provokes every documented refusal that is known here, on every operation; returns how many there were. */
export async function provokeAll(stage: Stage): Promise<number> {
  let count = 0;
  for (const op of OPERATIONS) {
    for (const code of op.codes) {
      const provoke = PROVOCATIONS[code];
      if (!provoke || whyNever(op.id, code)) continue;
      if (IN_ARREARS.some(([id, other]) => id === op.id && other === code)) continue;
      const { subject, ...change } = await provoke(stage, op);
      await refuse(op, subject, code, change);
      count += 1;
    }
  }
  return count;
}

/** Makes the valid call with these differences, which must be refused with `code`. */
export async function refuse(
  op: Operation,
  { client, ids }: { client: Client; ids: Ids },
  code: string,
  change: Omit<Attempt, 'subject'> = {},
): Promise<void> {
  const valid = validCall(op, ids);
  const body = op.body && { ...(valid.body as object), ...change.body };
  const query = { ...valid.query, ...change.query };
  const answer = await client.call(op.id, { ...valid, body, query, headers: change.headers });
  assert.equal(answer.code, code, `${op.id} was to be refused with ${code}: ${answer.status} ${answer.text}`);
}

/** Checks that a request with two problems is refused for the one that is checked first. */
export async function orderOfChecks({ own, stuck, full }: Stage): Promise<void> {
  const changePlan = operation('changePlan');
  const cases: [Subject, Record<string, unknown>, string][] = [
    [stuck, { tempalte: 1 }, 'validation_failed'],
    [stuck, { plan: 'no-such-plan' }, 'unknown_plan'],
    [stuck, { allow_reboot: false }, 'vm_locked'],
    [full, { allow_reboot: false }, 'vm_must_be_stopped'],
    [full, { max_charge_minor: 0 }, 'quota_exceeded'],
    [own, { allow_reboot: false, max_charge_minor: 0 }, 'vm_must_be_stopped'],
  ];
  for (const [subject, body, code] of cases) await refuse(changePlan, subject, code, { body });
}
