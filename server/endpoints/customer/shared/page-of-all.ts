import type { Page } from '../../../db/queries/page.ts';

/** Returns the rows of a page, plus one more if there is a next page, from a list short enough to be read whole. */
export function pageOfAll<Row extends { id: string }>(rows: Row[], { afterId, limit }: Page): Row[] {
  return rows
    .filter((row) => afterId === null || row.id < afterId)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit + 1);
}
