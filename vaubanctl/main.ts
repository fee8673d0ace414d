import { Failure } from './failure.ts';
import { note } from './output.ts';
import { program } from './program.ts';

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  for (const line of error.lines) note(`vaubanctl: ${line}`);
  process.exitCode = error.exitCode;
}
