import { listAccountsOf } from '../../../db/queries/access/memberships.ts';
import { setSessionAccount } from '../../../db/queries/access/sessions.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Id, Input } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { presentSession, SessionShape } from './session-shape.ts';

export const switchAccount = endpoint({
  audience: 'panel',
  operation: 'switchAccount',
  method: 'POST',
  path: '/session/account',
  access: 'person',
  tag: 'session',
  summary: 'Switch the session to another account',
  body: Input({ account_id: Id('acc') }),
  data: SessionShape,
  errors: [],
  async handle({ db, body, session, now }) {
    const accounts = await listAccountsOf(db, session.personId);
    const shown = accounts.find(({ account_id }) => account_id === body.account_id);
    if (!shown) throw invalidField('account_id', 'not_found', 'is not one of your accounts');
    await setSessionAccount(db, session.id, shown.account_id);
    const place = {
      accountId: shown.account_id,
      role: shown.role,
      suspended: shown.account_status !== 'active',
    };
    return { data: await presentSession(db, { ...session, place }, now) };
  },
});
