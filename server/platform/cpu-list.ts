/** More than any host has. */
const MAX_CPUS = 8_192;

/** Parses CPU numbers in the format of the kernel and `taskset`: "2-7,10". Undefined if it is not such a list. */
export function parseCpuList(text: string): number[] | undefined {
  const cpus = new Set<number>();
  for (const part of text.split(',')) {
    const [, first, last = first] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part.trim()) ?? [];
    if (first === undefined || Number(last) < Number(first) || Number(last) >= MAX_CPUS) return undefined;
    for (let cpu = Number(first); cpu <= Number(last); cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

/** Formats CPU numbers in the same format, without ranges. */
export function cpuList(cpus: readonly number[]): string {
  return cpus.join(',');
}
