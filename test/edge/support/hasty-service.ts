// Runs the service with a clock that advances normally, and by an additional minute at each SIGUSR2.

import { loadConfig } from '../../../server/config/config.ts';
import { startService } from '../../../server/start/compose.ts';
import { openState } from '../../../server/start/state.ts';
import { RunningClock } from '../../support/running-clock.ts';

const config = loadConfig(process.env);
const clock = new RunningClock();
process.on('SIGUSR2', () => clock.advance(60_000));
const service = await startService(config, await openState(config), { clock });
process.once('SIGTERM', () => {
  void service.stop().then(() => process.exit(0));
});
