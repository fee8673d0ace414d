#!/usr/bin/env node
// JavaScript, because it runs on the caller's `node`. A package contains the bundle. In the repository it runs the
// TypeScript sources; if the caller's `node` cannot, the repository's own takes over.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

if (!existsSync(new URL('../src/main.ts', import.meta.url))) {
  await import('../dist/vauban.js');
} else if (process.features.typescript) {
  // Cached next to the packages: this halves the start-up time.
  module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/vauban', import.meta.url)));
  await import('../src/main.ts');
} else {
  const node = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const { error, status } = spawnSync(node, args, { stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
