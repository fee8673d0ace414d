#!/usr/bin/env node
// JavaScript, because it runs under whatever `node` the caller has. A package has the bundle; the project has the
// sources, for which a `node` that is too old for TypeScript hands over to the project's own.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

if (!existsSync(new URL('../src/main.ts', import.meta.url))) {
  await import('../dist/vauban.js');
} else if (process.features.typescript) {
  // Kept with the packages: a command then starts in half the time.
  module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/vauban', import.meta.url)));
  await import('../src/main.ts');
} else {
  const node = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const { error, status } = spawnSync(node, args, { stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
