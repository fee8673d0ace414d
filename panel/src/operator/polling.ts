/** A page that no one uses for this long stops polling, so that an absent operator's session expires. */
const PATIENCE_MS = 5 * 60_000;

let lastUsed = Date.now();
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel'])
  addEventListener(event, () => (lastUsed = Date.now()), { passive: true });

/** Returns the options of `useQuery` to poll while the page is being used. */
export const whileUsed = (everyMs: number) => ({
  refetchInterval: () => (Date.now() - lastUsed < PATIENCE_MS ? everyMs : (false as const)),
});
