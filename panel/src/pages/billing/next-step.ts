import type { NextStep } from '../../api/panel.ts';

const keyOf = (id: string) => `vauban_top_up_${id}`;

/** Keeps what is left to do for a top-up as long as the tab, so that it survives a reload. */
export function rememberStep(id: string, step: NextStep): void {
  sessionStorage.setItem(keyOf(id), JSON.stringify(step));
}

/** What is left to do for a top-up that was begun in this tab. */
export function rememberedStep(id: string): NextStep | undefined {
  const text = sessionStorage.getItem(keyOf(id));
  return text ? (JSON.parse(text) as NextStep) : undefined;
}
