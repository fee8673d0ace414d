import { ApiError, type Client, createClient, type Job, VmLockedError } from '@vauban/client';

export type Values = Record<string, unknown>;
/** The client resource that manages a thing. */
export type Kind = 'firewall' | 'portForwards' | 'snapshots' | 'sshKeys' | 'shield';

/** Settings of this package; they are not sent to the service. */
const SETTINGS = ['timeout_seconds', 'allow_reboot', 'max_charge_minor'];
/** The ids in the path of a thing. */
const PLACES = ['vm_id', 'tenant_id', 'target_id'];
/** Fields that Pulumi and this package keep in addition to a resource's own. */
const OWN = ['__provider', 'given', 'written_as'];

const DEFAULT_TIMEOUT_SECONDS = 600;

/** Creates a client from the environment variables. Throws if one is missing. */
export function connect(): Client {
  const { VAUBAN_URL: baseUrl, VAUBAN_API_KEY: apiKey } = process.env;
  if (!baseUrl || !apiKey) throw new Error('Set VAUBAN_URL and VAUBAN_API_KEY.');
  return createClient({ baseUrl, apiKey });
}

/** Returns a signal that aborts after the resource's time limit. */
export function patience({ timeout_seconds: seconds }: Values): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(Number(seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000) };
}

export function bodyOf(inputs: Values): Values {
  const left = [...SETTINGS, ...PLACES, ...OWN];
  const given = Object.entries(inputs).filter(([name, value]) => !left.includes(name) && value !== undefined);
  return Object.fromEntries(given);
}

/** Compares two values by meaning: the order of a list of strings does not matter for any field of the API. */
export function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const entries = Object.entries(value).map(([name, one]) => `${name}:${canonical(one)}`);
  return `{${entries.sort()}}`;
}

/** Returns which fields change. A change of a field outside of `inPlace` replaces the resource. */
export function diff(olds: Values, news: Values, inPlace: readonly string[]) {
  const given = (olds.given as string[]) ?? [];
  const names = [...new Set([...given, ...Object.keys(news)])].filter((name) => !OWN.includes(name));
  const changed = names.filter((name) => !isSame(given.includes(name) ? olds[name] : undefined, news[name]));
  const replaces = changed.filter((name) => !inPlace.includes(name) && !SETTINGS.includes(name));
  return { changes: changed.length > 0, replaces, deleteBeforeReplace: true };
}

/**
 * Returns the state of a resource: inputs as written, everything else from the reply, and the service's own spelling of
 * inputs that it normalizes.
 */
export function stateOf(inputs: Values, answered: Values): Values {
  const given = Object.keys(inputs).filter((name) => !OWN.includes(name) && inputs[name] !== undefined);
  const written_as: Values = {};
  for (const name of given)
    if (name in answered && !isSame(inputs[name], answered[name])) written_as[name] = answered[name];
  return { ...answered, ...pick(inputs, given), given, written_as };
}

/** Returns the state of a resource after reading it from the service again. */
export function refreshed(props: Values, answered: Values): Values {
  const given = (props.given as string[]) ?? [];
  const forms = (props.written_as as Values) ?? {};
  const kept = given.filter(
    (name) => !(name in answered) || isSame(answered[name], forms[name] ?? props[name]),
  );
  return { ...props, ...answered, ...pick(props, kept), given, written_as: pick(forms, kept) };
}

const pick = (values: Values, names: string[]) =>
  Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]));

/** Repeats a call while another job holds the VM, until the signal aborts. */
export async function unlocked<T>(
  client: Client,
  vmId: string,
  wait: { signal: AbortSignal },
  call: () => Promise<T>,
) {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof VmLockedError)) throw error;
    }
    await client.waitUntilIdle(vmId, wait);
    wait.signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

export const isGone = (error: unknown) => error instanceof ApiError && error.status === 404;

interface Placed {
  vm_id: string;
  tenant_id: string;
  target_id: string;
}

type Options = { signal: AbortSignal };
type Answer = Values & { id?: string; snapshot?: Values; job?: Job };

/** Returns how each kind is created, found and deleted. */
function operationsOf(client: Client, kind: Kind, values: Values) {
  const { vm_id, tenant_id, target_id } = values as unknown as Placed;
  const body = bodyOf(values) as never;
  const { firewall, portForwards, snapshots, sshKeys, shield } = client;
  const table = {
    firewall: {
      add: (o: Options) => firewall.add(vm_id, body, o),
      list: (o: Options) => firewall.list(vm_id, {}, o),
      delete: (id: string, o: Options) => firewall.delete(vm_id, id, o),
    },
    portForwards: {
      add: (o: Options) => portForwards.add(vm_id, body, o),
      list: (o: Options) => portForwards.list(vm_id, {}, o),
      delete: (id: string, o: Options) => portForwards.delete(vm_id, id, o),
    },
    snapshots: {
      add: (o: Options) => snapshots.create(vm_id, body, o),
      list: (o: Options) => snapshots.list(vm_id, {}, o),
      delete: (id: string, o: Options) => snapshots.delete(vm_id, id, o),
    },
    sshKeys: {
      add: (o: Options) => sshKeys.add(body, o),
      list: (o: Options) => sshKeys.list({}, o),
      delete: (id: string, o: Options) => sshKeys.delete(id, o),
    },
    shield: {
      add: (o: Options) => shield.addRule(tenant_id, target_id, body, o),
      list: (o: Options) => shield.rules(tenant_id, target_id, {}, o),
      delete: (id: string, o: Options) => shield.deleteRule(tenant_id, target_id, id, o),
    },
  };
  return table[kind] as unknown as {
    add(options: Options): Promise<Answer>;
    list(options: Options): AsyncIterable<Values>;
    delete(id: string, options: Options): Promise<Answer>;
  };
}

async function look(client: Client, kind: Kind, id: string, values: Values, wait: Options) {
  try {
    for await (const one of operationsOf(client, kind, values).list(wait)) if (one.id === id) return one;
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return undefined;
}

/** Creates a thing and waits for its job. */
export async function create(kind: Kind, inputs: Values): Promise<{ id: string; outs: Values }> {
  const [client, wait] = [connect(), patience(inputs)];
  const operations = operationsOf(client, kind, inputs);
  const answer = await unlocked(client, inputs.vm_id as string, wait, () => operations.add(wait));
  const made = answer.snapshot ?? answer;
  const id = made.id as string;
  if (answer.job) await client.waitForJob(answer.job, wait);
  const found = answer.job ? await look(client, kind, id, inputs, wait) : made;
  return { id, outs: stateOf(inputs, found ?? made) };
}

/**
 * Returns a thing's current state, without an id if it no longer exists. The id for an import includes the ids of its
 * path.
 */
export async function read(kind: Kind, id: string, props: Values): Promise<{ id?: string; props?: Values }> {
  const { at, own } = placed(kind, id, props);
  const found = await look(connect(), kind, own, at, patience(at));
  return found ? { id: own, props: refreshed(at, found) } : {};
}

/** Splits an imported id: "vm_…/fwr_…" is a rule of a VM, "ten_…/tgt_…/rul_…" one of the shield. */
function placed(kind: Kind, id: string, props: Values): { at: Values; own: string } {
  const names = kind === 'sshKeys' ? [] : kind === 'shield' ? ['tenant_id', 'target_id'] : ['vm_id'];
  const parts = id.split('/');
  if (parts.length === 1) return { at: props, own: id };
  if (parts.length !== names.length + 1) throw new Error(`"${id}" is not ${[...names, 'id'].join('/')}.`);
  const places = Object.fromEntries(names.map((name, index) => [name, parts[index]]));
  return { at: { ...props, ...places }, own: parts.at(-1)! };
}

/** Deletes a thing and waits until it is gone. */
export async function remove(kind: Kind, id: string, props: Values): Promise<void> {
  const [client, wait] = [connect(), patience(props)];
  const operations = operationsOf(client, kind, props);
  try {
    const { job } = await unlocked(client, props.vm_id as string, wait, () => operations.delete(id, wait));
    if (job) await client.waitForJob(job, wait);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
