// The service, whose guests' screens are all the one at the socket BENCH_SCREEN.
import { startService } from '../server/compose.ts';
import { connectScreen } from '../server/compute/qemu/screen.ts';
import { loadConfig } from '../server/config/config.ts';
import { createLogger } from '../server/platform/logging.ts';
import { openState } from '../server/state.ts';

const config = loadConfig(process.env);
const service = await startService(config, await openState(config), {
  logger: createLogger({ logLevel: 'silent' }),
});
// Its VMs are rows without guests, which would be found missing.
await service.services.guests.hold();
Object.assign(service.services.compute, {
  openVnc: () => connectScreen(process.env.BENCH_SCREEN!),
});
process.once('SIGTERM', () => service.stop());
