import { test } from 'node:test';
import { RunningClock } from '../support/running-clock.ts';
import { access, PROXY } from './boundary/access.ts';
import { http } from './boundary/http.ts';
import { routes } from './boundary/routes.ts';
import { start } from './support/start.ts';

/** Everything that is decided before an operation runs: the protocol, the address and the caller. */
test('the boundary', async (t) => {
  const env = { VAUBAN_TRUST_PROXY: `${PROXY}, 10.0.0.0/8` };
  const installation = await start(t, { env, clock: new RunningClock() });
  await t.test('HTTP as others speak it', (t) => http(t, installation));
  await t.test('the resources of each address', (t) => routes(t, installation));
  await t.test('the addresses from which a key may be used', (t) => access(t, installation));
});
