import { Attempts } from '../access/attempts.ts';
import { Passwords } from '../access/passwords.ts';
import { CUSTOMERS, OPERATORS, type RealmRules } from '../access/realms.ts';
import { Sessions } from '../access/sessions.ts';
import type { Config } from '../config/config.ts';
import { isOperatorPanelOn } from '../config/panel-problems.ts';
import { ENDPOINTS } from '../endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../endpoints/panel/index.ts';
import { OPERATOR_SIGN_IN } from '../endpoints/panel/operator-sign-in.ts';
import { KeyMount, type KeyParts } from '../http/key-mount.ts';
import type { GuardedMount } from '../http/mount.ts';
import { OPERATOR_API, OperatorMount } from '../http/operator-panel/operator-mount.ts';
import { Changes } from '../http/panel/changes.ts';
import { CustomerSessionMount, PanelMount } from '../http/panel/mounts.ts';
import { SessionGate } from '../http/panel/session-gate.ts';
import { addressMatcher } from '../platform/cidr.ts';
import type { Services } from './services.ts';

/** Mounts the customer API for keys and sessions, the panel's own operations, and the operator panel's if it is enabled. */
export function mountsOf(services: Services, { authenticator, limiter }: KeyParts): GuardedMount[] {
  const { config, db, clock, secrets } = services;
  const shared = { ...services, passwords: new Passwords(), changes: new Changes(services) };
  const sessions = new Sessions(db, clock, secrets);
  const servicesOf = (realm: RealmRules) => {
    return { ...shared, realm, attempts: new Attempts(db, clock, realm.realm) };
  };
  const gate = new SessionGate({ realm: CUSTOMERS, config, limiter, sessions });
  const customers = [
    new KeyMount(ENDPOINTS, services, { authenticator, limiter }),
    new CustomerSessionMount(ENDPOINTS, gate, services),
    new PanelMount(PANEL_ENDPOINTS, gate, servicesOf(CUSTOMERS)),
  ];
  if (!isOperatorPanelOn(config)) return customers;
  const isNear = nearOperators(config);
  const operatorGate = new SessionGate({ realm: OPERATORS, config, limiter, sessions, isNear });
  return [
    ...customers,
    new OperatorMount(OPERATOR_ENDPOINTS, operatorGate, services),
    new PanelMount(OPERATOR_SIGN_IN, operatorGate, servicesOf(OPERATORS), OPERATOR_API),
  ];
}

/** Returns whether an address may reach the operator panel. */
export function nearOperators({ operatorPanelNetworks: networks }: Config): (ip: string) => boolean {
  return networks.length === 0 ? () => true : addressMatcher(networks);
}
