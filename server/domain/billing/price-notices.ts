import type { VmChange, VmRow } from '../../db/queries/vms.ts';

/** What a VM remembers of its price once what it has is sold, at `at`: no notice has been given since. */
export function pricedAnew(at: Date): VmChange {
  return { priced_at: at, ...FORGOTTEN, prices_seen_until: null, retires_at: null };
}

/** What it remembers once it is renewed for a month from `startAt` on: a notice for that month is used up. */
export function noticesAfter({ price_notice_from_at }: VmRow, startAt: Date): VmChange {
  return price_notice_from_at && price_notice_from_at <= startAt ? FORGOTTEN : {};
}

/** No notice. */
export const FORGOTTEN = { price_notice_minor: null, price_notice_at: null, price_notice_from_at: null };
