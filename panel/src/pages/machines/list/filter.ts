/** What of a machine a filter looks at. */
export interface Findable {
  id: string;
  hostname: string;
  notes: string | null;
  status: string;
  plan: string | null;
  region: string;
  ipv4: string | null;
  ipv6: string | null;
}

export interface Filter {
  /** Words, each of which must be found somewhere. */
  text: string;
  status: string | null;
  region: string | null;
}

/** The machines that a filter leaves, in their order. */
export function matching<T extends Findable>(machines: readonly T[], filter: Filter): T[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return machines.filter(
    (machine) =>
      (!filter.status || machine.status === filter.status) &&
      (!filter.region || machine.region === filter.region) &&
      words.every((word) => textOf(machine).includes(word)),
  );
}

const textOf = ({ id, hostname, notes, plan, region, ipv4, ipv6 }: Findable) =>
  [id, hostname, notes, plan, region, ipv4, ipv6].join('\n').toLowerCase();

/** Numbers within a text by their size: web-2 before web-10. */
// biome-ignore lint/style/noRestrictedGlobals: the order of names
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** The order of names, addresses and words as people read them. */
export const byText = (a: string | null, b: string | null) => collator.compare(a ?? '', b ?? '');
