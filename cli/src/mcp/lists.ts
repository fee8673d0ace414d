import type { List } from '../../../sdk/src/index.ts';
import { ITEMS } from './tool.ts';

/** Returns the first items of a list, and whether there are more. */
export async function firstOf<Item>(
  list: (limit: number) => List<Item, unknown>,
  limit: unknown = ITEMS,
): Promise<{ items: Item[]; more: boolean }> {
  const { data, pagination } = await list(limit as number).page();
  return { items: data, more: pagination.has_more };
}
