import { setMayMail } from '../../../db/queries/access/accounts.ts';
import { bumpNetworkOfAccount } from '../../../db/queries/vms/network.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams, AccountShape, presentAccount } from './account-shape.ts';
import { requireAccount } from './require-account.ts';

export const setAccountSmtp = endpoint({
  audience: 'operator',
  operation: 'setAccountSmtp',
  method: 'POST',
  path: '/accounts/{id}/smtp',
  tag: 'account',
  summary: 'Open or close outgoing port 25 for the VMs of an account',
  params: AccountParams,
  body: Input({ open: Type.Boolean() }),
  data: AccountShape,
  errors: [],
  async handle({ params: { id }, body: { open }, services: { catalog, clock, db, logger } }) {
    const account = await db.transaction(async (tx) => {
      await requireAccount(tx, id);
      await setMayMail(tx, id, open);
      await bumpNetworkOfAccount(tx, id, clock.now());
      return requireAccount(tx, id);
    });
    logger.info({ account_id: id, open }, 'outbound mail of an account changed');
    return { data: presentAccount(account, catalog) };
  },
});
