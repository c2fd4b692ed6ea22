import { existsSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { chromium, type Page } from 'playwright-core';

/** Debian's Chromium, or Chrome. */
const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** Why tests with a browser are skipped; undefined if they are not. */
export const noChromium =
  PROGRAM === undefined ? 'no Chromium is installed here: apt-get install chromium' : undefined;

if (noChromium !== undefined) console.warn(`tests of the page are skipped: ${noChromium}`);

export interface ObjectDetails {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
}

/** A page in headless Chromium, closed when the test has ended. An error of its script, or a refusal of its policy, is in `errors`. */
export async function openPage(
  url: string,
  { width = 1280, height = 900, dark = false }: ObjectDetails = {},
): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const browser = await chromium.launch({
    ...(PROGRAM && { executablePath: PROGRAM }),
    args: ['--no-sandbox', '--disable-lcd-text'],
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
  });
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    // that a server is away is told by the page
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      errors.push(message.text());
  });
  await page.goto(url);
  return { page, errors };
}

/** Writes docs/screenshots/NAME.png if SCREENSHOTS is set: `SCREENSHOTS=1 npm run unit -- test/functions/page`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] !== undefined)
    await page.screenshot({ path: `docs/screenshots/${name}.png` });
}
