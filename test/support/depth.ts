/**
 * Returns how thorough a test with random worlds is: `shallow` in the fast tier, `deep` in the full tier, which sets
 * VAUBAN_TEST_DEPTH. Both find the same kinds of faults; the deep one finds rarer ones.
 */
export function depth<T>(shallow: T, deep: T): T {
  return process.env.VAUBAN_TEST_DEPTH === 'deep' ? deep : shallow;
}
