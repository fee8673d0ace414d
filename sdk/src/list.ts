/** A page of a list, with its other fields. */
export type Page<Item, Beside = unknown> = {
  data: Item[];
  pagination: { limit: number; next_cursor: string | null; has_more: boolean };
} & Beside;

/** A list that fetches its pages on demand: `for await (const vm of client.vms.list())`. */
export class List<Item, Beside = unknown> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Item, Beside>>;
  readonly #cursor: string | undefined;

  constructor(read: (cursor: string | undefined) => Promise<Page<Item, Beside>>, cursor?: string) {
    this.#read = read;
    this.#cursor = cursor;
  }

  page(): Promise<Page<Item, Beside>> {
    return this.#read(this.#cursor);
  }

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

  async toArray(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
