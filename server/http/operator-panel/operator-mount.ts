import { ApiError } from '../../platform/errors.ts';
import type { Endpoint, OperatorEndpoint } from '../endpoint.ts';
import type { Admitted, Arrival, GuardedMount } from '../mount.ts';
import { OPERATOR_BODY_LIMIT } from '../operator/server.ts';
import { requireConfirmed } from '../panel/mounts.ts';
import type { AdmittedPerson, SessionGate } from '../panel/session-gate.ts';
import type { OperatorServices } from '../services.ts';
import { SOCKET_ONLY } from './reach.ts';

/** Prefix of all operations of the operator panel. */
export const OPERATOR_API = '/operator/api';

/**
 * The operator API for the session of an operator with a second factor: the same endpoints as on the socket, except
 * those in {@link SOCKET_ONLY}. Changes require that the operator proved their identity recently, and are recorded
 * under their address.
 */
export class OperatorMount implements GuardedMount {
  readonly prefix = OPERATOR_API;
  readonly bodyLimit = OPERATOR_BODY_LIMIT;
  readonly endpoints: readonly OperatorEndpoint[];
  readonly services: OperatorServices;
  readonly #gate: SessionGate;

  constructor(endpoints: readonly OperatorEndpoint[], gate: SessionGate, services: OperatorServices) {
    this.endpoints = endpoints.filter(({ operation }) => !Object.hasOwn(SOCKET_ONLY, operation));
    this.services = services;
    this.#gate = gate;
  }

  identify(arrival: Arrival): Promise<AdmittedPerson> {
    return this.#gate.identify(arrival, false);
  }

  authorize(admitted: Admitted, { method }: Endpoint): void {
    const session = (admitted as AdmittedPerson).session!;
    if (!session.isEnrolled)
      throw new ApiError(
        'second_factor_required',
        'Set up a second factor first: a passkey, or a password and an authenticator app.',
      );
    if (method !== 'GET') requireConfirmed(session, this.services.clock);
  }

  actor(admitted: Admitted) {
    const { session, browser } = admitted as AdmittedPerson;
    return { email: session!.email, ip: browser.ip };
  }
}
