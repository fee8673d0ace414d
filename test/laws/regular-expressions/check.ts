import { checkSync, type Parameters } from 'recheck';

// In this process: the checker's other backends are a program and a Java archive.
process.env.RECHECK_SYNC_BACKEND = 'pure';

/** Bounds by steps and not by time, so that the result is the same on a busy machine. */
const BOUNDS: Parameters = { attackTimeout: null, incubationTimeout: null, attackLimit: 100_000_000 };

/** Whether recheck finds that a match takes time in proportion to the text; `unproven` if it gives up after `timeout` ms. */
export function timeOf(expression: string, timeout: number | null): 'linear' | 'worse' | 'unproven' {
  const end = expression.lastIndexOf('/');
  const options = { ...BOUNDS, timeout };
  const { status } = checkSync(expression.slice(1, end), expression.slice(end + 1), options);
  return status === 'safe' ? 'linear' : status === 'vulnerable' ? 'worse' : 'unproven';
}
