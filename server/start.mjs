import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What the runtime made of the sources is kept for the next start, which loads in half the time. It is kept with
// the packages, because whoever may write there decides anyway what runs; where nobody may, nothing is kept. This
// one file is plain JavaScript, since before the cache is on even the smallest TypeScript needs the whole compiler.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vauban', import.meta.url)));
await import('./main.ts');
