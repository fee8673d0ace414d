import { listPasskeys as readPasskeys } from '../../../db/queries/access/passkeys.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { PasskeyShape, presentPasskey } from './passkey-shape.ts';

export const listPasskeys = endpoint({
  audience: 'panel',
  operation: 'listPasskeys',
  method: 'GET',
  path: '/person/passkeys',
  access: 'person',
  tag: 'person',
  summary: 'List the passkeys',
  data: Type.Array(PasskeyShape),
  errors: [],
  async handle({ db, session }) {
    return { data: (await readPasskeys(db, session.personId)).map(presentPasskey) };
  },
});
