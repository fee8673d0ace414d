import { isBuiltin } from 'node:module';
import type { Plugin } from 'vite';

const PREFIX = '\0builtin:';
/** Used by some commands only, and functions alone: loaded when one is called. */
const LAZY =
  /^node:(child_process|http|https|net|readline|readline\/promises|stream\/(consumers|promises)|timers\/promises)$/;

/**
 * Takes Node's own modules by `process.getBuiltinModule`. An `import` of one reads all that it exports, and for some of that
 * Node loads large parts of itself: for `node:http` its whole `fetch`, which takes longer than everything else of a start.
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
