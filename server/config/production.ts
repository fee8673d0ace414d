import type { Config } from './config.ts';

/**
 * Returns one sentence for each missing setting that production does not guess. The engines report themselves what else
 * they need (`compute/select.ts`).
 */
export function productionProblems({ mode, publicUrl, edge }: Config): string[] {
  if (mode !== 'production') return [];
  const problems: string[] = [];
  if (publicUrl === undefined) {
    problems.push(
      'VAUBAN_PUBLIC_URL: is required in production: the address that customers use, such as https://api.example.com',
    );
  }
  if (edge === 'auto') {
    problems.push(
      'VAUBAN_EDGE: is required in production: off (no protection), nftables, flowspec, nftables+flowspec, or simulator (pretends to protect)',
    );
  }
  return problems;
}
