import { run } from './run.ts';

const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort());
process.once('SIGTERM', () => interruption.abort());
// The reader of the output, such as `head`, has closed the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { env, stdin, stdout, stderr } = process;
// Not awaited: modules that are loaded later import this one, which must be evaluated by then.
void run(process.argv.slice(2), { env, stdin, stdout, stderr, signal: interruption.signal }).then((code) => {
  process.exitCode = code;
  // After a question, the terminal's input would keep the process running.
  stdin.unref?.();
});
