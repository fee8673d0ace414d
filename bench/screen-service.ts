// The service, with the screen at the socket BENCH_SCREEN for all guests.

import { connectScreen } from '../server/compute/qemu/guest/screen.ts';
import { loadConfig } from '../server/config/config.ts';
import { createLogger } from '../server/platform/logging.ts';
import { startService } from '../server/start/compose.ts';
import { openState } from '../server/start/state.ts';

const config = loadConfig(process.env);
const service = await startService(config, await openState(config), {
  logger: createLogger({ logLevel: 'silent' }),
});
// Its VMs are rows without guests, which would be reported as missing.
await service.services.guests.hold();
Object.assign(service.services.compute, {
  openVnc: () => connectScreen(process.env.BENCH_SCREEN!),
});
process.once('SIGTERM', () => service.stop());
