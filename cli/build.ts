import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { lightBuiltins } from './builtins.ts';

/** Builds the command with all that it imports, which needs nothing but Node: a file, and one more that only assistants need. */
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
