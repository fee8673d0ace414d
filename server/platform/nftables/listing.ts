import { createHash } from 'node:crypto';
import { parseListing, runNetworkProgram } from './program.ts';

// Reads tables from the kernel, through the JSON of nft. Tables are named with their family: "inet vauban".

/** An item in the listing of a table; it has one of these fields. */
export interface Item {
  chain?: { family: string; table: string; name: string };
  rule?: { family: string; table: string; chain: string; comment?: string };
  limit?: { name: string };
  counter?: { table: string; name: string } & Volume;
  set?: { name: string; elem?: unknown[] };
  map?: { name: string; elem?: unknown[] };
}

interface Volume {
  packets: number;
  bytes: number;
}

/**
 * Lists what `nft list` is asked for; undefined if the kernel has no such table, or no such part of it. One object at a
 * time: asked for two, nft 1.0.6 returns only the last.
 */
export async function list(...what: string[]): Promise<Item[] | undefined> {
  try {
    const text = await runNetworkProgram('nft', ['-j', 'list', ...what]);
    return (parseListing(text) as { nftables: Item[] }).nftables;
  } catch (error) {
    if (/No such file or directory/.test((error as Error).message)) return undefined;
    throw error;
  }
}

export const listTable = (table: string) => list('table', ...table.split(' '));

/** Returns the names of all tables of a family. */
export async function tablesOf(family: string): Promise<string[]> {
  const items = (await list('tables', family)) as { table?: { name: string } }[] | undefined;
  return items?.flatMap(({ table }) => (table ? [table.name] : [])) ?? [];
}

/** Returns the elements of a set or map in a listing, as nft writes them. */
export function elementsOf<Element>(items: readonly Item[], name: string): Element[] {
  return items.flatMap(({ set, map }) => {
    const found = set?.name === name ? set : map?.name === name ? map : undefined;
    return (found?.elem ?? []) as Element[];
  });
}

/** An element of a set with its counter and comment. */
export interface Counted<Value> {
  value: Value;
  volume: Volume;
  comment: string;
}

/** Returns the elements of a set in a listing, with their counters. */
export function countedIn<Value = string>(items: readonly Item[], name: string): Counted<Value>[] {
  const elements = elementsOf<{ elem: { val: Value; counter: Volume; comment?: string } }>(items, name);
  return elements.map(({ elem: { val: value, counter, comment = '' } }) => ({
    value,
    volume: { packets: counter.packets, bytes: counter.bytes },
    comment,
  }));
}

export const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Returns a rule with its fingerprint as a comment, from which {@link structureOf} tells whether it is still there. */
export const marked = (rule: string) => `${rule} comment "${digest(rule)}"`;

/** Returns the comments of the rules of every chain, by "family table chain". A rule without one is a stranger's. */
export function structureOf(items: readonly Item[]): Map<string, string[]> {
  const structure = new Map<string, string[]>();
  for (const { chain } of items) {
    if (chain) structure.set(`${chain.family} ${chain.table} ${chain.name}`, []);
  }
  for (const { rule } of items) {
    if (rule) structure.get(`${rule.family} ${rule.table} ${rule.chain}`)?.push(rule.comment ?? 'foreign');
  }
  return structure;
}

const HOOK = ' hook ingress device';

/**
 * Returns the devices of each ingress chain in these tables of the family netdev. Reads the text, because the JSON of
 * nft 1.0.6 leaves out the devices.
 */
export async function ingressDevices(tables: readonly string[]): Promise<string[][]> {
  const text = await runNetworkProgram('nft', ['list', 'chains', 'netdev']);
  return text
    .split(/^table netdev /m)
    .filter((part) => tables.some((name) => part.startsWith(`${name} {`)))
    .flatMap((part) => part.split('\n').filter((line) => line.includes(HOOK)))
    .map(devicesIn);
}

/**
 * Returns the devices in the header of a base chain. nft prints `device "e0"` for one, and for several `devices = { e0,
 * e2 }`, quoted or not depending on its version.
 */
export function devicesIn(line: string): string[] {
  const start = line.indexOf(HOOK) + HOOK.length;
  const [, ...names] = line.slice(start, line.lastIndexOf(' priority ')).split(/[^\w.-]+/);
  return names.filter(Boolean);
}
