import { sql } from '../../../db/database.ts';
import type { AccountLaw } from './law.ts';

/** Price notices to owners of VMs. */
export const NOTICE_LAWS: AccountLaw[] = [
  {
    name: 'a VM records the price that was announced to its owner',
    // A notice is at most months old, and events are kept for longer.
    offences: (scope) => sql`
      select vms.id || ' remembers ' || price_notice_minor || ' from ' || price_notice_from_at || ', without a notice' as what
      from vms
      where ${scope(sql`vms.account_id`)} and deleted_at is null and price_notice_minor is not null and not exists (
        select 1 from events
        where events.vm_id = vms.id and type = 'billing.price_change'
          and (metadata->>'price_monthly_minor')::bigint = price_notice_minor
          and (metadata->>'from_at')::timestamptz = price_notice_from_at
          and events.created_at between price_notice_at - interval '1 hour' and price_notice_at + interval '1 hour')`,
  },
];
