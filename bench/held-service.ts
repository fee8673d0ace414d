// The service as `server/start/main.ts` starts it, except for its guest reconciler: the VMs of a measurement are rows without
// guests, and looking for those is not part of the measurement.
import { setFlagsFromString } from 'node:v8';
import { loadConfig } from '../server/config/config.ts';
import { startService } from '../server/start/compose.ts';
import { openState } from '../server/start/state.ts';

setFlagsFromString('--wasm-num-compilation-tasks=1');
const config = loadConfig(process.env);
const service = await startService(config, await openState(config));
await service.services.guests.hold();
setFlagsFromString('--heap-growing-percent=30');
process.once('SIGTERM', () => service.stop());
