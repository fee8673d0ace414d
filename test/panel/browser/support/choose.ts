import type { Locator, Page } from 'playwright-core';

/**
 * Chooses an option by its label, as a user does, because the radio button itself is hidden. Unlike a forced click on
 * the button, this waits until the label is stable and receives the click, and then until the choice has taken effect.
 */
export async function choose(
  page: Page,
  name: string | RegExp,
  within: Page | Locator = page,
): Promise<void> {
  await within.locator('label', { has: page.getByRole('radio', { name }) }).click();
  await within.getByRole('radio', { name, checked: true }).waitFor({ state: 'attached' });
}
