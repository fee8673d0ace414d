import type { Operator } from './operator.ts';
import { SCOPES } from './roster.ts';
import type { Subject } from './world.ts';

/** Networks reserved for documentation: no request comes from there. */
const ELSEWHERE = ['198.51.100.0/24', '2001:db8:ffff::/48'];
/** A key cannot be created already expired; this one expires soon. */
const EXPIRES_AFTER_MS = 200;

/** Keys of the same account that do not work, or only for some operations. */
export interface Keys {
  expired: string;
  revoked: string;
  elsewhere: string;
  /** A key with every scope, of a suspended account. */
  suspended: string;
  /** Keys with all scopes but one, by the missing scope. */
  without: Map<string, string>;
}

export async function makeKeys(operator: Operator, { account, client }: Subject): Promise<Keys> {
  const without = new Map<string, string>();
  for (const scope of SCOPES) {
    without.set(
      scope,
      await operator.key(
        account,
        SCOPES.filter((other) => other !== scope),
      ),
    );
  }
  const expired = await operator.key(account, SCOPES, { expiresAt: new Date(Date.now() + EXPIRES_AFTER_MS) });
  while ((await client.withKey(expired).call('getPrices')).status === 200);
  return {
    expired,
    revoked: await operator.revokedKey(account, SCOPES),
    elsewhere: await operator.key(account, SCOPES, { from: ELSEWHERE }),
    suspended: await suspendedKey(operator),
    without,
  };
}

async function suspendedKey(operator: Operator): Promise<string> {
  const account = await operator.account('suspended');
  const key = await operator.key(account, SCOPES);
  await operator.suspend(account);
  return key;
}
