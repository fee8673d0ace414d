import { isAtLeast, ROLE_SCOPES, type Role } from '../../access/roles.ts';
import { isReadScope } from '../../access/scopes.ts';
import type { ActiveSession } from '../../access/sessions.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { CONFIRM_MINUTES, type CustomerEndpoint, type PanelEndpoint } from '../endpoint.ts';
import type { Admitted, Arrival, GuardedMount } from '../mount.ts';
import type { EndpointServices, PanelServices } from '../services.ts';
import type { AdmittedPerson, SessionGate } from './session-gate.ts';

/** Prefix of all operations that a browser uses. */
export const PANEL_API = '/panel/api';

/** The customer API for a session: the same endpoints, with the role's scopes in place of a key's. */
export class CustomerSessionMount implements GuardedMount {
  readonly prefix = PANEL_API;
  readonly endpoints: readonly CustomerEndpoint[];
  readonly services: EndpointServices;
  readonly #gate: SessionGate;

  constructor(endpoints: readonly CustomerEndpoint[], gate: SessionGate, services: EndpointServices) {
    this.endpoints = endpoints;
    this.services = services;
    this.#gate = gate;
  }

  identify(arrival: Arrival): Promise<AdmittedPerson> {
    return this.#gate.identify(arrival, false);
  }

  authorize(admitted: Admitted, { scope }: CustomerEndpoint): void {
    const { role, suspended } = placeOf((admitted as AdmittedPerson).session!);
    if (!ROLE_SCOPES[role].has(scope)) throw roleRequired(role, 'operator');
    if (suspended && !isReadScope(scope)) throw accountSuspended();
  }
}

/** The operations that only the panel has. */
export class PanelMount implements GuardedMount {
  readonly prefix: string;
  readonly endpoints: readonly PanelEndpoint[];
  readonly services: PanelServices;
  readonly #gate: SessionGate;

  constructor(
    endpoints: readonly PanelEndpoint[],
    gate: SessionGate,
    services: PanelServices,
    prefix: string = PANEL_API,
  ) {
    this.prefix = prefix;
    this.endpoints = endpoints;
    this.#gate = gate;
    this.services = services;
  }

  identify(arrival: Arrival, endpoint: PanelEndpoint | undefined): Promise<AdmittedPerson> {
    return this.#gate.identify(arrival, endpoint?.access === 'public');
  }

  authorize(admitted: Admitted, { access, confirm, method, whileSuspended }: PanelEndpoint): void {
    if (access === 'public') return;
    const session = (admitted as AdmittedPerson).session!;
    if (access !== 'person') {
      const { role, suspended } = placeOf(session);
      if (!isAtLeast(role, access)) throw roleRequired(role, access);
      if (suspended && method !== 'GET' && !whileSuspended) throw accountSuspended();
    }
    if (confirm) requireConfirmed(session, this.services.clock);
  }

  particulars(admitted: Admitted) {
    const { session, browser } = admitted as AdmittedPerson;
    return { session, browser };
  }
}

function placeOf({ place }: ActiveSession) {
  if (place) return place;
  throw new ApiError('role_required', 'You are no longer a member of this account.');
}

function roleRequired(role: Role, least: Role): ApiError {
  return new ApiError('role_required', `The role ${role} may not do this. It requires the role ${least}.`, {
    role,
    required_role: least,
  });
}

const accountSuspended = () =>
  new ApiError('account_suspended', 'The account is suspended. You can view it but not change anything.');

/** Throws if the session's holder has not proved their identity recently. */
export function requireConfirmed({ confirmedAt }: ActiveSession, clock: Clock): void {
  const until = (confirmedAt?.getTime() ?? Number.NEGATIVE_INFINITY) + CONFIRM_MINUTES * 60_000;
  if (clock.now().getTime() < until) return;
  throw new ApiError(
    'confirmation_required',
    `Confirm that it is you first. A confirmation is valid for ${CONFIRM_MINUTES} minutes.`,
  );
}
