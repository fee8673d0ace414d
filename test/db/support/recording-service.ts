// The service as a process whose transactions are watched: see lock-recorder.ts. RECORD_LOCKS is the file to write.
import { startService } from '../../../server/compose.ts';
import { loadConfig } from '../../../server/config/config.ts';
import { openState } from '../../../server/state.ts';
import { LockRecorder } from './lock-recorder.ts';

const config = loadConfig(process.env);
const recorder = new LockRecorder(process.env.RECORD_LOCKS!);
const service = await startService(config, recorder.watch(await openState(config)));
process.once('SIGTERM', () => {
  void service.stop().then(() => process.exit(0));
});
