// Runs the service as a process with recorded statements: see lock-recorder.ts and text-recorder.ts. RECORD_LOCKS is
// the file to write.

import { loadConfig } from '../../../server/config/config.ts';
import { startService } from '../../../server/start/compose.ts';
import { openState } from '../../../server/start/state.ts';
import { LockRecorder } from './lock-recorder.ts';
import { TextRecorder, textsFile } from './text-recorder.ts';

const config = loadConfig(process.env);
const file = process.env.RECORD_LOCKS!;
const db = new LockRecorder(file).watch(await openState(config));
const service = await startService(config, new TextRecorder(textsFile(file)).watch(db));
process.once('SIGTERM', () => {
  void service.stop().then(() => process.exit(0));
});
