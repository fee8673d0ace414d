// The service as a process that dies at the step of a job that DIE_AT names, such as "create start_guest before": before
// it, after it, or `during` it, when an engine that takes its time is in the middle.
import { startService } from '../../../server/app.ts';
import { loadConfig } from '../../../server/config.ts';

/** Into the step: sooner than any guest boots or powers off. */
const DURING_MS = 300;

const die = () => process.kill(process.pid, 'SIGKILL');
const service = await startService(loadConfig(process.env), {
  stepHook({ kind, step, phase }) {
    if (`${kind} ${step} ${phase}` === process.env.DIE_AT) die();
    if (phase === 'before' && `${kind} ${step} during` === process.env.DIE_AT) setTimeout(die, DURING_MS);
  },
});
process.once('SIGTERM', () => service.stop());
