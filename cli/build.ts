import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { lightBuiltins } from './builtins.ts';

/**
 * Bundles the command with its dependencies, so that it needs only Node: one file, and another one that only `vauban
 * mcp` loads.
 */
export async function buildCli(outDir = fileURLToPath(new URL('dist', import.meta.url))): Promise<void> {
  await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'warn',
    plugins: [lightBuiltins],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: 'src/main.ts',
      outDir,
      emptyOutDir: true,
      target: 'node22',
      minify: true,
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        checks: { bundlerTimings: false },
        treeshake: { propertyReadSideEffects: false },
        output: { entryFileNames: 'vauban.js', chunkFileNames: '[name].js' },
      },
    },
  });
}

if (import.meta.main) await buildCli();
