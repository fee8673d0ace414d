#!/usr/bin/env node
// JavaScript, because it runs under whatever `node` the caller has; one that is too old for TypeScript hands
// over to the project's own.
import { spawnSync } from 'node:child_process';
import module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

if (process.features.typescript) {
  // Kept with the packages, as the service's own (server/start.mjs): a command then starts in half the time.
  module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/vaubanctl', import.meta.url)));
  await import('../main.ts');
} else {
  const node = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const { error, status } = spawnSync(node, args, { stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
