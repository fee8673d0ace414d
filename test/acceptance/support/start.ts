import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../../support/database.ts';
import type { RunningClock } from '../../support/running-clock.ts';
import { production, type Service, startService } from '../../support/service.ts';
import { Client } from './client.ts';
import type { Coverage } from './coverage.ts';
import { ENGINE } from './engine.ts';
import { type Machines, readyMachines } from './machines.ts';
import { Operator } from './operator.ts';
import { Transport } from './transport.ts';

/** No test may hit a limit by accident; the limits have their own tests. */
const UNLIMITED = '10000000';

const SETTINGS = {
  VAUBAN_RATE_LIMIT_KEY: UNLIMITED,
  VAUBAN_RATE_LIMIT_ACCOUNT: UNLIMITED,
  VAUBAN_RATE_LIMIT_IP: UNLIMITED,
};

type Environment = Record<string, string>;

/** A running service with an operator and a customer's client, which has no key yet. */
export interface Installation {
  operator: Operator;
  client: Client;
  machines: Machines;
  location: DatabaseLocation;
  /** Returns a URL such as `http://127.0.0.1:8080`. */
  baseUrl(): string;
  /** Restarts the service on the same database; its clients switch to the new address. */
  restart(env?: Environment, meanwhile?: () => Promise<void>): Promise<void>;
}

/** The parts of a running service that the tests use, wherever it runs. */
type Running = Pick<Service, 'baseUrl' | 'operatorSocket' | 'stop'>;

interface StartOptions {
  env?: Environment;
  coverage?: Coverage;
  /** Runs the service in the test's process, on this clock. With real machines it always gets its own process. */
  clock?: RunningClock;
}

async function startHere(
  t: TestContext,
  options: { location: DatabaseLocation; env: Environment; clock: RunningClock },
): Promise<Running> {
  // Loaded on demand: tests with a separate service process do not need the server's modules.
  const { startInProcess } = await import('../../chaos/support/in-process.ts');
  const { baseUrl, operatorSocket, service } = await startInProcess(t, options);
  return { baseUrl, operatorSocket, stop: () => service.stop() };
}

/** Starts a service for acceptance tests on a fresh database, by default as a separate process. */
export async function start(
  t: TestContext,
  { env, coverage, clock }: StartOptions = {},
): Promise<Installation> {
  const location = await freshDatabaseLocation(t);
  const machines = await readyMachines(t, location);
  const settings = { ...production(), ...SETTINGS, ...machines.settings, ...env };
  const begin = (more?: Environment): Promise<Running> =>
    clock && ENGINE === 'simulator'
      ? startHere(t, { location, env: { ...settings, ...more }, clock })
      : startService(t, { env: { ...settings, ...more }, location });
  let service = await begin();
  const transport = new Transport(service.baseUrl);
  defer(t, () => transport.close());
  return {
    operator: new Operator(service.operatorSocket),
    client: new Client(transport, undefined, coverage),
    machines,
    location,
    baseUrl: () => service.baseUrl,
    async restart(more, meanwhile) {
      await service.stop();
      await meanwhile?.();
      service = await begin(more);
      transport.baseUrl = service.baseUrl;
    },
  };
}
