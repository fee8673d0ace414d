import { useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Smaller tables are rendered as a whole, so that the browser's own search finds everything. */
const SMALL = 150;
/** Rows rendered beyond each edge of the screen, so that scrolling shows no gap. */
const MARGIN = 20;
/** In pixels, as the design tokens say; measured as soon as there is a row. */
const ROW_HEIGHT = 36;

interface Range {
  from: number;
  to: number;
  height: number;
}

/**
 * Returns which of `count` rows are near the screen, and the height of the others in pixels. `body` is the ref of the
 * element that holds the rows.
 */
export function useVisibleRows(count: number) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isSmall = count <= SMALL;
  const [range, setRange] = useState<Range>({ from: 0, to: Math.min(count, SMALL), height: ROW_HEIGHT });
  const measure = useCallback(() => {
    const element = body.current;
    if (!element || isSmall) return;
    const row = element.querySelector<HTMLElement>('[aria-rowindex]');
    const height = row?.offsetHeight || ROW_HEIGHT;
    const { top } = element.getBoundingClientRect();
    const from = Math.max(0, Math.min(Math.floor(-top / height) - MARGIN, count - 1));
    const to = Math.min(count, Math.ceil((innerHeight - top) / height) + MARGIN);
    // In steps of ten rows, so that not every turn of the wheel renders again.
    const next = { from: from - (from % 10), to: Math.max(to + (10 - (to % 10)), from + 1), height };
    setRange((now) => (now.from === next.from && now.to === next.to && now.height === height ? now : next));
  }, [count, isSmall]);
  useLayoutEffect(() => {
    measure();
    if (isSmall) return;
    // Scroll events of the table's container do not bubble, but the capture phase sees them.
    addEventListener('scroll', measure, { capture: true, passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure, { capture: true });
      removeEventListener('resize', measure);
    };
  }, [measure, isSmall]);
  if (isSmall) return { body, from: 0, to: count, before: 0, after: 0 };
  const from = Math.min(range.from, count);
  const to = Math.min(range.to, count);
  return { body, from, to, before: from * range.height, after: (count - to) * range.height };
}
