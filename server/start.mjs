import './require-node.mjs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Caches the compiled sources for the next start, which then loads in half the time. The cache is stored with the
// packages, because a user who can write there controls what runs anyway; if it is not writable, there is no cache.
// This one file is plain JavaScript, because before the cache is enabled even the smallest TypeScript file needs the
// whole compiler. It uses the default export: the named one is missing in old versions, which would fail before the
// line above ran.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vauban', import.meta.url)));
await import('./start/main.ts');
