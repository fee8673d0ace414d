export interface Page<Item> {
  items: Item[];
  next: string | null;
}

/** Returns the pages with `machine` replaced, or added as the newest if no page has it. */
export function withMachine<Item extends { id: string }>(pages: Page<Item>[], machine: Item): Page<Item>[] {
  const isKnown = pages.some(({ items }) => items.some(({ id }) => id === machine.id));
  return pages.map((page, i) => {
    if (!isKnown) return i === 0 ? { ...page, items: [machine, ...page.items] } : page;
    const at = page.items.findIndex(({ id }) => id === machine.id);
    return at < 0 ? page : { ...page, items: page.items.with(at, machine) };
  });
}

export function withoutMachine<Item extends { id: string }>(pages: Page<Item>[], id: string): Page<Item>[] {
  return pages.map((page) =>
    page.items.some((item) => item.id === id)
      ? { ...page, items: page.items.filter((item) => item.id !== id) }
      : page,
  );
}
