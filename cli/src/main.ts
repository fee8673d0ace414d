import { run } from './run.ts';

const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort());
process.once('SIGTERM', () => interruption.abort());
// The reader of the output has closed it, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { env, stdin, stdout, stderr } = process;
// Not awaited here: a part that is loaded later imports from this module, which must be evaluated by then.
void run(process.argv.slice(2), { env, stdin, stdout, stderr, signal: interruption.signal }).then((code) => {
  process.exitCode = code;
  // A terminal that was asked something would keep the process.
  stdin.unref?.();
});
