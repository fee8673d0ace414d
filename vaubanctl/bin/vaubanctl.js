#!/usr/bin/env node
// JavaScript, because it runs under whatever `node` the caller has; one that is too old for TypeScript hands
// over to the project's own.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const main = new URL('../main.ts', import.meta.url);

if (process.features.typescript) {
  await import(main.href);
} else {
  const node = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  const args = [fileURLToPath(main), ...process.argv.slice(2)];
  const { error, status } = spawnSync(node, args, { stdio: 'inherit' });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
