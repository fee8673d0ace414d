import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors.ts';
import type { Admitted, Arrival, Mount, MountedRoute } from '../mount.ts';
import type { OperatorEndpoint, OperatorServices } from '../operator/endpoint.ts';
import { answerOperator } from '../operator/routes.ts';
import { requireConfirmed } from '../panel/mounts.ts';
import type { AdmittedPerson, SessionGate } from '../panel/session-gate.ts';
import { SOCKET_ONLY } from './reach.ts';

/** Prefix of all operations of the operator panel. */
export const OPERATOR_API = '/operator/api';
/** As on the socket: the largest request contains a hundred networks. */
const BODY_LIMIT = 64 * 1024;

/**
 * The operator API for the session of an operator with a second factor: the same endpoints as on the socket, except
 * those in {@link SOCKET_ONLY}. Changes require that the operator proved their identity recently, and are recorded
 * under their address.
 */
export class OperatorMount implements Mount {
  readonly prefix = OPERATOR_API;
  readonly endpoints: readonly (OperatorEndpoint & { bodyLimit: number })[];
  readonly #gate: SessionGate;
  readonly #services: OperatorServices;

  constructor(endpoints: readonly OperatorEndpoint[], gate: SessionGate, services: OperatorServices) {
    this.endpoints = endpoints
      .filter(({ operation }) => !Object.hasOwn(SOCKET_ONLY, operation))
      .map((endpoint) => ({ ...endpoint, bodyLimit: BODY_LIMIT }));
    this.#gate = gate;
    this.#services = services;
  }

  identify(arrival: Arrival): Promise<AdmittedPerson> {
    return this.#gate.identify(arrival, false);
  }

  authorize(admitted: Admitted, { method }: { method: string }): void {
    const session = (admitted as AdmittedPerson).session!;
    if (!session.isEnrolled)
      throw new ApiError(
        'second_factor_required',
        'Set up a second factor first: a passkey, or a password and an authenticator app.',
      );
    if (method !== 'GET') requireConfirmed(session, this.#services.clock);
  }

  answer(admitted: Admitted, request: FastifyRequest, reply: FastifyReply, route: MountedRoute) {
    const { session, browser } = admitted as AdmittedPerson;
    return answerOperator(request, reply, {
      endpoint: route.endpoint as OperatorEndpoint,
      checks: route.checks,
      services: this.#services,
      prefix: OPERATOR_API,
      actor: () => ({ email: session!.email, ip: browser.ip }),
    });
  }
}
