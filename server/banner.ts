import type { Service } from './compose.ts';

/**
 * What a person who started the service in a terminal reads first, five lines: where it is, what runs its VMs, and what
 * to do next. The demo account's key is in it on the one start that makes it.
 */
export function banner({ address, services: { compute, db, config } }: Service, demoKey?: string): string {
  const url = config.publicUrl ?? address;
  const key = demoKey ?? 'YOUR_KEY';
  return [
    `API        ${url}/v1, health at ${url}/readyz`,
    `Reference  ${url}/docs`,
    `Engine     ${compute.name}; database: ${db.engine === 'pglite' ? `embedded, in ${config.dataDir}` : 'PostgreSQL'}`,
    `Key        ${demoKey ? `${demoKey} (of the account "demo"; shown only now)` : 'npx vaubanctl account list, then npx vaubanctl key create'}`,
    `Next       curl -H 'Authorization: Bearer ${key}' ${url}/v1/billing/wallet`,
  ]
    .map((line) => `  ${line}\n`)
    .join('');
}
