#!/usr/bin/env node
// JavaScript, because it runs on the caller's `node`. If that cannot run TypeScript, the project's own takes over.
import { spawnSync } from 'node:child_process';
import module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

if (process.features.typescript) {
  // Cached next to the packages, as for the service (server/start.mjs): this halves the start-up time.
  module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/vaubanctl', import.meta.url)));
  await import('../main.ts');
} else {
  const node = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const { error, status } = spawnSync(node, args, { stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
