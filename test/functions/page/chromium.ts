import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { expect, onTestFinished } from 'vitest';
import { chromium, type Page } from 'playwright-core';
import { THOROUGH } from '../../laws/worlds.ts';

/** Debian's Chromium, or Chrome. */
const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

const isMissing = THOROUGH && PROGRAM === undefined;
if (isMissing)
  console.warn('tests of the page are skipped: no Chromium is installed here: apt-get install chromium');

/** Whether tests with a browser are skipped: `npm run thorough` has them. */
export const noChromium = !THOROUGH || isMissing;

/** A page in headless Chromium, closed when the test has ended. */
export async function openPage(url: string, { width = 1280, height = 900 } = {}) {
  const browser = await chromium.launch({
    ...(PROGRAM && { executablePath: PROGRAM }),
    args: ['--no-sandbox', '--disable-lcd-text'],
  });
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width, height } });
  /** What its script failed with, and what its policy refused. */
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

const SHAPES = {
  light: { colorScheme: 'light', width: 1000, height: 640 },
  dark: { colorScheme: 'dark', width: 1000, height: 640 },
  '360px': { colorScheme: 'light', width: 360, height: 740 },
} as const;

/** In light, in dark and on a telephone axe-core finds nothing, and nothing is wider than the window. */
export async function expectReadable(
  { page, errors }: Awaited<ReturnType<typeof openPage>>,
  name: string,
  shapes = Object.keys(SHAPES) as (keyof typeof SHAPES)[],
): Promise<void> {
  for (const shape of shapes) {
    const { colorScheme, ...size } = SHAPES[shape];
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await page.evaluate(axe.source);
    const found = await page.evaluate(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html]))`,
    );
    expect(found, shape).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), shape).toBe(0);
    await keepScreenshot(page, `${name}-${shape}`);
  }
  expect(errors).toEqual([]);
}

/** Writes docs/screenshots/NAME.png anew, if it is there and SCREENSHOTS is set: `SCREENSHOTS=1 npm run unit -- test/functions/page`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const path = `docs/screenshots/${name}.png`;
  if (process.env['SCREENSHOTS'] !== undefined && existsSync(path)) await page.screenshot({ path });
}
