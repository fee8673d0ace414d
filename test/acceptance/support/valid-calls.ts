import { generateKeyPairSync } from 'node:crypto';
import type { Call } from './client.ts';
import type { Operation } from './document.ts';

/** The ids of things by the path segment before the variable: `/v1/vm/{id}` is `vm`. */
export type Ids = Record<string, string>;

/** Returns the segment before each variable of a path: `vm` and `firewall` for a firewall rule. */
export function collections({ path }: Operation): string[] {
  return [...path.matchAll(/([^/]+)\/\{\w+\}/g)].map(([, segment]) => segment!);
}

/** Returns the values of an operation's path variables from `ids`. */
export function placesOf(operation: Operation, ids: Ids): string[] {
  return collections(operation).map((collection) => {
    const id = ids[collection];
    if (id === undefined) throw new Error(`${operation.id}: the tests' world has no ${collection}; add one`);
    return id;
  });
}

export function newPublicKey(): string {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const fields = [Buffer.from('ssh-ed25519'), Buffer.from(x!, 'base64url')].map((field) =>
    Buffer.concat([Buffer.from([0, 0, 0, field.length]), field]),
  );
  return `ssh-ed25519 ${Buffer.concat(fields).toString('base64')} acceptance`;
}

/**
 * Calls of operations without an example in openapi.json, or whose example names something that does not exist here.
 */
const SPECIAL: Record<string, () => Call> = {
  getCustomQuote: () => ({ query: { vcpu: 2, ram_mb: 2048, disk_gb: 20 } }),
  getPlanQuote: () => ({ query: { plan: 's2' } }),
  addSshKey: () => ({ body: { name: 'laptop', public_key: newPublicKey() } }),
  attachSshKey: () => ({ body: { public_key: newPublicKey() } }),
  changePlan: () => ({ body: { plan: 's2', allow_reboot: true } }),
  changeCustom: () => ({ body: { vcpu: 2, ram_mb: 4096, allow_reboot: true } }),
};

/** Returns a call whose form is valid: the special one, or the document's example. */
export function validCall(operation: Operation, ids: Ids): Call {
  const special = SPECIAL[operation.id]?.() ?? (operation.body ? { body: operation.body.example } : {});
  const forgotten = operation.query.filter(
    ({ name, required }) => required && special.query?.[name] === undefined,
  );
  if (forgotten.length > 0) throw new Error(`${operation.id} needs a query; name one in valid-calls.ts`);
  return { at: placesOf(operation, ids), ...special };
}
