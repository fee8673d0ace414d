import { type Counted, countedIn, type Item, list, tablesOf } from '../../platform/nftables/listing.ts';
import { EdgeUnavailableError } from '../driver.ts';
import { familyOfTable } from './names.ts';

/** Lists one of our tables; undefined if it does not exist. */
export function listTable(name: string): Promise<Item[] | undefined> {
  return list('table', familyOfTable(name), name).catch(unavailable);
}

/** Returns the elements of a set with their counters. Throws {@link EdgeUnavailableError} if it does not exist. */
export async function listCounted<Value = string>(table: string, name: string): Promise<Counted<Value>[]> {
  const items = await list('set', 'netdev', table, name).catch(unavailable);
  if (!items) throw new EdgeUnavailableError(`${table} has no set ${name}`);
  return countedIn<Value>(items, name);
}

/** Returns the names of all tables that start with this prefix. */
export async function listTables(prefix: string): Promise<string[]> {
  const names = await tablesOf('netdev').catch(unavailable);
  return names.filter((name) => name.startsWith(prefix));
}

export function unavailable({ message, cause }: Error): never {
  throw new EdgeUnavailableError(message, { cause });
}
