/**
 * Returns the SDK's copy of `shared/currencies.ts`: the SDK is a separate package and cannot import anything from the
 * repository.
 */
export function emitCurrencies(shared: string): string {
  return `// Made from shared/currencies.ts by \`npm run generate\`: do not edit.\n\n${shared}`;
}
