/** A page of a list, and what stands beside its items. */
export type Page<Item, Beside = unknown> = {
  data: Item[];
  pagination: { limit: number; next_cursor: string | null; has_more: boolean };
} & Beside;

/** A list that is read page by page, as far as it is asked for: `for await (const vm of client.vms.list())`. */
export class List<Item, Beside = unknown> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Item, Beside>>;
  readonly #cursor: string | undefined;

  constructor(read: (cursor: string | undefined) => Promise<Page<Item, Beside>>, cursor?: string) {
    this.#read = read;
    this.#cursor = cursor;
  }

  /** The first page. */
  page(): Promise<Page<Item, Beside>> {
    return this.#read(this.#cursor);
  }

  /** Every page, one after the other. */
  async *pages(): AsyncGenerator<Page<Item, Beside>, void, void> {
    let cursor = this.#cursor;
    for (;;) {
      const page = await this.#read(cursor);
      yield page;
      if (!page.pagination.has_more || page.pagination.next_cursor === null) return;
      cursor = page.pagination.next_cursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** The whole list. */
  async toArray(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
