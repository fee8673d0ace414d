/** A page that was not touched for so long stops polling, so that the session of an absent operator ends. */
const PATIENCE_MS = 5 * 60_000;

let lastUsed = Date.now();
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel'])
  addEventListener(event, () => (lastUsed = Date.now()), { passive: true });

/** Reads again every so often while the page is used, for `useQuery`. */
export const whileUsed = (everyMs: number) => ({
  refetchInterval: () => (Date.now() - lastUsed < PATIENCE_MS ? everyMs : (false as const)),
});
