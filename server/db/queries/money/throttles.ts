import { type Queryable, sql } from '../../database.ts';
import type { VmRow } from '../vms/vms.ts';
import { isBilled } from './billed-vms.ts';
import { type MeteredVm, withMeters } from './meters.ts';
import type { WalletRow } from './wallets.ts';

/** An account with the data that its VMs' throttles are derived from. */
export interface MeteredAccount extends Pick<WalletRow, 'account_id' | 'available_minor' | 'claimed_minor'> {
  vms: MeteredVm[];
}

/** Returns the next accounts after `after`, by id, with VMs that are throttled or, if `metered`, that have a meter. */
export async function meteredAccounts(
  db: Queryable,
  { metered, after, limit }: { metered: boolean; after: string; limit: number },
): Promise<MeteredAccount[]> {
  const wallets = await db.query<Omit<MeteredAccount, 'vms'>>(sql`
    select account_id, available_minor, claimed_minor from wallets where account_id > ${after}
      and exists (select from vms where vms.account_id = wallets.account_id and ${isBilled}
        and (throttle_mbps is not null or (${metered} and usage_priced)))
    order by account_id limit ${limit}`);
  const ids = wallets.map(({ account_id }) => account_id);
  const vms = await db.query<VmRow>(sql`
    select * from vms where account_id = any(${ids}::text[]) and ${isBilled} order by account_id, id`);
  const byAccount = Map.groupBy(await withMeters(db, vms), ({ account_id }) => account_id);
  return wallets.map((wallet) => ({ ...wallet, vms: byAccount.get(wallet.account_id) ?? [] }));
}
