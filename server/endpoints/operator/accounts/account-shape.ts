import type { AccountOverviewRow } from '../../../db/queries/access/accounts.ts';
import { type Catalog, LimitsSchema } from '../../../domain/catalog/catalog-schema.ts';
import { limitsOf } from '../../../domain/vms/quotas.ts';
import { Count, Currency, Enum, Id, PathId, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentWallet, WalletShape } from '../shared/wallet-shape.ts';

export const AccountParams = Type.Object({ id: PathId('acc', 'Account identifier') });

export const accountFields = {
  id: Id('acc'),
  name: Type.String(),
  status: Enum(['active', 'suspended', 'closed']),
  currency: Currency,
  wallet: WalletShape,
  vm_count: Count('Number of VMs'),
  limits: Shape(LimitsSchema.properties, { description: 'Current quotas' }),
  smtp: Enum(['open', 'closed'], { description: 'Outgoing port 25 for its VMs' }),
  created_at: Timestamp(),
};

export const AccountShape = Shape(accountFields, { $id: 'Account', description: 'A customer' });

export function presentAccount(account: AccountOverviewRow, catalog: Catalog) {
  return {
    id: account.id,
    name: account.name,
    status: account.status,
    currency: account.currency,
    wallet: presentWallet(account),
    vm_count: Number(account.vm_count),
    limits: limitsOf(catalog, account),
    smtp: account.smtp_open ? 'open' : 'closed',
    created_at: account.created_at,
  };
}
