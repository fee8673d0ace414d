import { isBuiltin } from 'node:module';
import type { Plugin } from 'vite';

const PREFIX = '\0builtin:';
/** Modules that only some commands need and that export only functions; each is loaded on the first call. */
const LAZY =
  /^node:(child_process|http|https|net|readline|readline\/promises|stream\/(consumers|promises)|timers\/promises)$/;

/**
 * Replaces imports of Node's built-in modules with `process.getBuiltinModule`. An `import` reads every export, and for
 * some Node then loads large parts of itself: for `node:http` all of `fetch`, which takes longer than the rest of the
 * start-up.
 */
export const lightBuiltins: Plugin = {
  name: 'light-builtins',
  enforce: 'pre',
  resolveId(id) {
    return isBuiltin(id)
      ? { id: PREFIX + id.replace(/^(node:)?/, 'node:'), moduleSideEffects: false }
      : undefined;
  },
  async load(id) {
    if (!id.startsWith(PREFIX)) return undefined;
    const name = id.slice(PREFIX.length);
    const load = `process.getBuiltinModule('${name}')`;
    const exports = Object.entries(await import(name)).filter(
      ([key]) => key !== 'default' && key !== 'module.exports',
    );
    if (!LAZY.test(name)) {
      const reads = exports.map(([key]) => `export const ${key} = module.${key};`);
      return [`const module = ${load};`, 'export default module;', ...reads].join('\n');
    }
    const functions = exports.filter(([, value]) => typeof value === 'function');
    const calls = functions.map(([key]) => `export const ${key} = (...given) => ${load}.${key}(...given);`);
    return [...calls, `export default { ${functions.map(([key]) => key).join(', ')} };`].join('\n');
  },
};
