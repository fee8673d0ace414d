/** The fields of a machine that the filter searches. */
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
  /** Words that must all be found. */
  text: string;
  status: string | null;
  region: string | null;
}

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

/** Compares numbers within names by value: web-2 comes before web-10. */
// biome-ignore lint/style/noRestrictedGlobals: the order of names
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Compares names, addresses and words for sorting; null comes first. */
export const byText = (a: string | null, b: string | null) => collator.compare(a ?? '', b ?? '');
