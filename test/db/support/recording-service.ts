// Runs the service as a process with recorded statements: see lock-recorder.ts and text-recorder.ts. RECORD_LOCKS is
// the file to write.
import { startService } from '../../../server/compose.ts';
import { loadConfig } from '../../../server/config/config.ts';
import { openState } from '../../../server/state.ts';
import { LockRecorder } from './lock-recorder.ts';
import { TextRecorder, textsFile } from './text-recorder.ts';

const config = loadConfig(process.env);
const file = process.env.RECORD_LOCKS!;
const db = new LockRecorder(file).watch(await openState(config));
const service = await startService(config, new TextRecorder(textsFile(file)).watch(db));
process.once('SIGTERM', () => {
  void service.stop().then(() => process.exit(0));
});
