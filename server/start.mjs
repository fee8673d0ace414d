import './require-node.mjs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// What the runtime made of the sources is kept for the next start, which loads in half the time. It is kept with
// the packages, because a user who may write there decides anyway what runs; where nobody may, nothing is kept. This
// one file is plain JavaScript, since before the cache is on even the smallest TypeScript needs the whole compiler.
// By its default export: the named one is missing in old versions, and they would fail before the line above ran.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vauban', import.meta.url)));
await import('./main.ts');
