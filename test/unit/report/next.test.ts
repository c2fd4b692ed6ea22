import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StatusRow } from '../../../shared/report/page.ts';
import { next } from '../../../shared/report/page/cells.ts';
import type { Html } from '../../../shared/report/page/markup.ts';

test('the next run is in some time or now, and never some time ago', () => {
  const now = Date.parse('2026-11-21T03:00:00Z');
  fc.assert(
    fc.property(fc.integer({ min: -700_000, max: 700_000 }), (ms) => {
      const nextAt = new Date(now + ms).toISOString();
      const row = {
        object: 'service/shop/web',
        state: 'failed',
        reason: '',
        planSteps: 0,
        nextAt,
      } as StatusRow;
      const { html } = next(row, now) as Html;
      expect(html.replace(/<[^>]*>/g, '')).toMatch(/^levelset runs again (in \d+ (s|min)|now)$/);
    }),
    { numRuns: 200, examples: [[300], [0], [-300], [500], [501]] },
  );
});
