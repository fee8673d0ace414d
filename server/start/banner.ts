import { isOperatorPanelOn } from '../config/panel-problems.ts';
import type { DemoAccess } from '../domain/accounts/demo-account.ts';
import { browserUrl } from '../http/base-url.ts';
import type { Service } from './compose.ts';

/**
 * Returns the few lines that a person who starts the service in a terminal reads first: its URLs, what runs its VMs,
 * and what to do next. The demo account's key and the sign-in links are included only at the start that creates them.
 */
export function banner({ address, services: { compute, db, config } }: Service, demo?: DemoAccess): string {
  const url = browserUrl(config, address);
  const key = demo?.key ?? 'YOUR_KEY';
  return [
    `Panel      ${url}/panel${demo ? `/sign-in/link#${demo.signInToken} (signs in to the account "demo", once)` : ''}`,
    ...(isOperatorPanelOn(config) ? [operatorLine(url, demo?.operatorToken)] : []),
    `API        ${url}/v1, health at ${url}/readyz`,
    `Reference  ${url}/docs`,
    `Engine     ${compute.name}; database: ${db.engine === 'pglite' ? `embedded, in ${config.dataDir}` : 'PostgreSQL'}`,
    `Key        ${demo ? `${demo.key} (of the account "demo"; shown only now)` : 'npx vaubanctl account list, then npx vaubanctl key create'}`,
    `Next       curl -H 'Authorization: Bearer ${key}' ${url}/v1/billing/wallet`,
  ]
    .map((line) => `  ${line}\n`)
    .join('');
}

const operatorLine = (url: string, token: string | undefined) =>
  `Operator   ${url}/operator${token ? `/sign-in/link#${token} (signs in to the operator's pages, once)` : ''}`;
