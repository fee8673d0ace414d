// Lowers the numbers of pending.txt after mistakes were corrected, and prints the remaining ones. It never adds a file
// or raises a number: correct the sentence instead.
import { writeFileSync } from 'node:fs';
import { mistakesByFile } from './mistakes.ts';
import { PENDING_FILE, pending } from './pending.ts';

const mistakes = mistakesByFile();
const left = [...pending()]
  .map(([path, count]) => [Math.min(count, mistakes.get(path)?.length ?? 0), path] as const)
  .filter(([count]) => count > 0);
writeFileSync(PENDING_FILE, left.map(([count, path]) => `${count} ${path}\n`).join(''));
for (const [, path] of left) console.log(mistakes.get(path)!.join('\n'));
