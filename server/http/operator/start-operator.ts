import { SETTINGS } from '../../config/settings.ts';
import { listenOn } from '../../platform/listen.ts';
import type { OperatorEndpoint } from '../endpoint.ts';
import type { OperatorServices } from '../services.ts';
import { listenOnSocket, operatorSocket } from './listen-on-socket.ts';
import type { Readiness } from './readiness.ts';
import { createMonitoringServer, createOperatorServer } from './server.ts';

/** Starts the operator API on its socket and, if configured, health checks and metrics over TCP. */
export async function startOperator(
  services: OperatorServices,
  readiness: Readiness,
  endpoints: readonly OperatorEndpoint[],
): Promise<{ close(): Promise<void> }> {
  const { dataDir, operatorListen } = services.config;
  const operator = createOperatorServer(services, readiness, endpoints);
  await listenOnSocket(operator, operatorSocket(dataDir));
  if (!operatorListen) return operator;
  const monitoring = createMonitoringServer(services, readiness);
  await listenOn(monitoring, SETTINGS.operatorListen.env, operatorListen);
  return {
    async close() {
      await Promise.all([monitoring.close(), operator.close()]);
    },
  };
}
