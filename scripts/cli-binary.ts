// `npm run cli:binary -- FILE` writes `vauban` as a single program for this platform that needs no Node: the bundle and
// Bun, about 110 MB. Bun is installed only for this run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildCli } from '../cli/build.ts';

const BUN = '1.4.5';

const [file] = process.argv.slice(2);
if (!file) throw new Error('name the file to write: npm run cli:binary -- ./vauban');
const { platform, arch } = process;
// A platform's package contains the program itself; install scripts, which would link it, are not run.
const bun = `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`;
const place = mkdtempSync(join(tmpdir(), 'vauban-binary-'));
try {
  writeFileSync(join(place, 'package.json'), '{"private": true}');
  const options = { cwd: place, stdio: 'inherit' } as const;
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${bun}@${BUN}`], options);
  await buildCli(join(place, 'cli'));
  const words = ['build', '--compile', join(place, 'cli/vauban.js'), '--outfile', resolve(file)];
  execFileSync(join(place, 'node_modules', bun, 'bin/bun'), words, options);
} finally {
  rmSync(place, { recursive: true });
}
