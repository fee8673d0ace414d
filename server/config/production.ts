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
      'VAUBAN_PUBLIC_URL: production needs the address that customers use, such as https://api.example.com',
    );
  }
  if (edge === 'auto') {
    problems.push(
      'VAUBAN_EDGE: production needs it named: off, which protects no address, nftables, flowspec, nftables+flowspec, or simulator, which pretends to',
    );
  }
  return problems;
}
