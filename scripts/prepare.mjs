// Runs at the end of `npm ci`: does once what the first start would otherwise do while a customer waits. Without it
// (`npm ci --ignore-scripts`) the first start takes some seconds longer; nothing else changes.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bin = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
const brought = `node-${process.platform}-${process.arch}/bin/node`;
const link = bin('.bin/node');

if (existsSync(bin(brought)) && !existsSync(link)) {
  // npm 10 links this platform's Node, and then removes the link along with the packages of other platforms. Without
  // the link, scripts would run on npm's own Node, as this one does now, so it restarts itself on the right one.
  rmSync(link, { force: true });
  symlinkSync(`../${brought}`, link);
  process.exitCode = spawnSync(link, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1;
} else {
  await import('../server/require-node.mjs');
  // Node's headers are only needed to compile add-ons, which nothing here does; they are a fifth of an installation.
  rmSync(bin(brought.replace('bin/node', 'include')), { recursive: true, force: true });
  const { makeBlankDatabase } = await import('../server/db/pglite-blank.ts');
  const { buildPanel } = await import('../panel/build.ts');
  const { buildSite } = await import('../site/build.ts');
  await Promise.all([makeBlankDatabase(), buildPanel(), buildSite()]);
}
