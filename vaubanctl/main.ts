import { Failure } from './failure.ts';
import { program } from './program.ts';

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  for (const line of error.lines) console.error(`vaubanctl: ${line}`);
  process.exitCode = error.exitCode;
}
