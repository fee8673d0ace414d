import type { EdgeDriver, EdgeTarget } from '../../edge/driver.ts';
import { type Static, type TSchema, Type } from '../../platform/schema.ts';
import { closed, Id, InvalidArgumentError, Nothing } from '../../platform/strict-shapes.ts';
import { closedList, type Handler } from '../closed-list.ts';

/** Targets of an edge: one message may name all of them, and the kernel's sets of addresses have this size. */
export const MAX_TARGETS = 20_000;
/** Bounds above the API's own limits, so that one message cannot exhaust the process. */
const MAX_RULES = 1_000;
const MAX_PORTS = 64;
const MAX_RATE = 10_000_000_000_000;

const Nullable = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ anyOf: [{ type: 'null' }, schema] });
const Ports = Type.Array(Type.String({ format: 'ports' }), { maxItems: MAX_PORTS });
const Length = Type.Integer({ minimum: 0, maximum: 65_535 });
const Flags = Type.Array(Type.Enum(['fin', 'syn', 'rst', 'psh', 'ack', 'urg']), { maxItems: 6 });

const Match = Type.Object(
  {
    protocol: Type.Unsafe<EdgeTarget['rules'][number]['match']['protocol']>({
      anyOf: [
        { type: 'string', enum: ['any', 'tcp', 'udp', 'icmp', 'icmpv6', 'gre', 'esp', 'ah'] },
        { type: 'integer', minimum: 0, maximum: 255 },
      ],
    }),
    source: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'network' }),
    sourcePorts: Ports,
    destinationPorts: Ports,
    packetLength: Nullable(Type.Object({ min: Length, max: Length }, closed)),
    tcpFlags: Nullable(Type.Object({ set: Flags, unset: Flags }, closed)),
    fragments: Type.Enum(['any', 'only', 'none']),
  },
  closed,
);
const Rate = Type.Object(
  {
    unit: Type.Enum(['pps', 'bps']),
    value: Type.Integer({ minimum: 1, maximum: MAX_RATE }),
    perSource: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_RATE })),
    synProxy: Type.Optional(Type.Unsafe<true>({ type: 'boolean', enum: [true] })),
  },
  closed,
);
const Rule = Type.Object(
  {
    id: Id,
    action: Type.Enum(['block', 'rate_limit']),
    match: Match,
    rate: Nullable(Rate),
  },
  closed,
);
const Target = Type.Object(
  {
    id: Id,
    ip: Type.String({ format: 'address' }),
    family: Type.Enum([4, 6]),
    rules: Type.Array(Rule, { maxItems: MAX_RULES }),
  },
  closed,
);
const Ids = Type.Object({ ids: Type.Array(Id, { maxItems: MAX_TARGETS }) }, closed);

/** Everything the helper can do, with the shapes of the arguments. */
export const OPERATIONS = {
  probe: Nothing,
  reconcile: Type.Object({ targets: Type.Array(Target, { maxItems: MAX_TARGETS }) }, closed),
  put: Type.Object({ target: Target }, closed),
  remove: Type.Object({ id: Id }, closed),
  totals: Nothing,
  detail: Ids,
  counters: Ids,
  sample: Ids,
  samples: Ids,
  blackhole: Type.Object({ id: Id, on: Type.Boolean() }, closed),
  altered: Nothing,
};
export type Operation = keyof typeof OPERATIONS;

/** Requested constantly, so these get no log line each. */
export const FREQUENT: readonly Operation[] = ['totals', 'detail', 'samples', 'altered'];

/** Returns the id of the target an operation is about. The arguments are not validated, so it is truncated for the log. */
export function aboutTarget(given: unknown): { target: string | undefined } {
  const { id, target } = Object(given);
  const found = id ?? Object(target).id;
  return { target: typeof found === 'string' ? found.slice(0, 64) : undefined };
}

export interface EdgeHelperParts {
  edge: EdgeDriver;
  /** Resolves to true when another process has altered what the edge made, or to false after a while. */
  altered(): Promise<boolean>;
}

const HANDLERS: Record<Operation, Handler<EdgeHelperParts>> = {
  async probe({ edge }) {
    const { prefixes, synProxy } = edge.capabilities();
    return { ...(await edge.probe()), prefixes, synProxy };
  },
  reconcile({ edge }, { targets }: { targets: EdgeTarget[] }) {
    for (const [index, target] of targets.entries()) checkRules(target, `targets.${index}`);
    return edge.reconcile(targets);
  },
  put({ edge }, { target }: { target: EdgeTarget }) {
    checkRules(target, 'target');
    return edge.putTarget(target);
  },
  remove: ({ edge }, { id }: { id: string }) => edge.removeTarget(id),
  totals: ({ edge }) => edge.readTotals(),
  detail: ({ edge }, { ids }: { ids: string[] }) => edge.readDetail(ids),
  counters: ({ edge }, { ids }: { ids: string[] }) => edge.readRuleCounters(ids),
  sample: ({ edge }, { ids }: { ids: string[] }) => edge.startPortSample(ids),
  samples: ({ edge }, { ids }: { ids: string[] }) => edge.readPortSamples(ids),
  blackhole: ({ edge }, { id, on }: { id: string; on: boolean }) => edge.blackhole(id, on),
  altered: ({ altered }) => altered(),
};

/** Performs one operation. An address that this host may not protect is refused like an invalid argument. */
export const perform = closedList(OPERATIONS, HANDLERS);

/** Checks constraints between the fields of a rule, which the schema cannot express. */
function checkRules({ rules }: EdgeTarget, field: string): void {
  for (const [index, { action, rate }] of rules.entries()) {
    const at = `${field}.rules.${index}`;
    if ((action === 'rate_limit') !== (rate !== null))
      throw new InvalidArgumentError(`${at}.rate: does not match the action ${action}`);
    if (rules.findIndex(({ id }) => id === rules[index]!.id) !== index) {
      throw new InvalidArgumentError(`${at}.id: is the id of another rule`);
    }
  }
}
