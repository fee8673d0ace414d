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

export type SortKey =
  | 'hostname'
  | 'status'
  | 'ipv4'
  | 'plan'
  | 'region'
  | 'price_monthly_minor'
  | 'created_at';

/** The machines sorted by one column; addresses by their numbers, names as people read them. */
export function sorted<T extends Findable & { price_monthly_minor: number; created_at: string }>(
  machines: readonly T[],
  key: SortKey,
  descending: boolean,
): T[] {
  const compare = (a: T, b: T) => {
    if (key === 'price_monthly_minor') return a.price_monthly_minor - b.price_monthly_minor;
    return collator.compare(a[key] ?? '', b[key] ?? '');
  };
  return [...machines].sort(
    (a, b) => (descending ? -1 : 1) * (compare(a, b) || collator.compare(a.id, b.id)),
  );
}

/** Numbers within a text by their size: web-2 before web-10. */
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
