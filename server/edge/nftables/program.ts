import { applyNftBatch, parseListing, runNetworkProgram } from '../../platform/nft.ts';
import type { Volume } from '../driver.ts';
import { EdgeUnavailableError } from '../driver.ts';
import { familyOfTable } from './names.ts';

/** An item in the listing of a table; it has one of these fields. */
export interface TableItem {
  chain?: { table: string; name: string };
  rule?: { table: string; chain: string; comment?: string };
  limit?: { table: string; name: string };
  set?: { table: string; name: string; elem?: unknown[] };
  map?: { table: string; name: string; elem?: unknown[] };
}

/** The kernel has no such table, or no such part of it. */
export class NotThereError extends EdgeUnavailableError {
  override name = 'NotThereError';
}

/** Lists one of our tables. Throws {@link NotThereError} if it does not exist. */
export function listTable(name: string): Promise<TableItem[]> {
  return list(['table', familyOfTable(name), name]);
}

/** An element of a set with its counter and comment. */
export interface Counted<Value> {
  value: Value;
  volume: Volume;
  comment: string;
}

/**
 * Returns the elements of a set with their counters. One process for each set: asked for two, nft 1.0.6 finds only
 * the last.
 */
export async function listCounted<Value = string>(table: string, name: string): Promise<Counted<Value>[]> {
  return countedIn(await list(['set', 'netdev', table, name]), name);
}

/** Returns the elements of a set in a listing, with their counters. */
export function countedIn<Value = string>(items: TableItem[], name: string): Counted<Value>[] {
  const elements = (items.find(({ set }) => set?.name === name)?.set?.elem ?? []) as {
    elem: { val: Value; counter: Volume; comment?: string };
  }[];
  return elements.map(({ elem: { val: value, counter, comment = '' } }) => ({
    value,
    volume: { packets: counter.packets, bytes: counter.bytes },
    comment,
  }));
}

/** Returns the names of all tables that start with this prefix. */
export async function listTables(prefix: string): Promise<string[]> {
  const text = await nft(['-j', 'list', 'tables', 'netdev']);
  const { nftables } = parseListing(text) as { nftables: { table?: { name: string } }[] };
  return nftables.flatMap(({ table }) => (table?.name.startsWith(prefix) ? [table.name] : []));
}

async function list(what: string[]): Promise<TableItem[]> {
  return (parseListing(await nft(['-j', 'list', ...what])) as { nftables: TableItem[] }).nftables;
}

export async function nft(args: string[]): Promise<string> {
  return runNetworkProgram('nft', args).catch(unavailable);
}

/** Applies all lines of a batch, or none if one of them fails. */
export async function apply(lines: string[], signature: string): Promise<void> {
  await applyNftBatch(lines, { signature: `netdev ${signature}` }).catch(unavailable);
}

function unavailable(error: Error): never {
  const kind = /No such file or directory/.test(error.message) ? NotThereError : EdgeUnavailableError;
  throw new kind(error.message, { cause: error.cause });
}
