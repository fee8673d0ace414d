import type { Locator, Page } from 'playwright-core';

/**
 * Chooses one of several by its label, as a user does: the radio button itself is out of sight. Unlike a forced click on
 * that, this waits until the label stands still and is what the click meets, and then until the choice is made.
 */
export async function choose(
  page: Page,
  name: string | RegExp,
  within: Page | Locator = page,
): Promise<void> {
  await within.locator('label', { has: page.getByRole('radio', { name }) }).click();
  await within.getByRole('radio', { name, checked: true }).waitFor({ state: 'attached' });
}
