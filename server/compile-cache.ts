import { fileURLToPath } from 'node:url';

/**
 * Where what the runtime made of the sources is kept for the next start, which loads in half the time. It is kept with
 * the packages, because whoever may write there decides anyway what runs; where nobody may, nothing is kept.
 */
export const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/vauban', import.meta.url));
