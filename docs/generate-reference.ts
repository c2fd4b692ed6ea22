import { writeFileSync } from 'node:fs';
import { cloudConfPage } from './reference/cloud-conf-page.ts';
import { commandsPage } from './reference/commands-page.ts';
import { endpointsPage } from './reference/endpoints-page.ts';
import { eventsPage } from './reference/events-page.ts';
import { metricsPage } from './reference/metrics-page.ts';

/** The pages of `docs/reference` that are made of the program, by the path of each. */
export const REFERENCE_PAGES: readonly (readonly [string, () => string])[] = [
  ['docs/reference/cloud-conf.md', cloudConfPage],
  ['docs/reference/commands.md', commandsPage],
  ['docs/reference/endpoints.md', endpointsPage],
  ['docs/reference/events.md', eventsPage],
  ['docs/reference/metrics.md', metricsPage],
];

if (import.meta.main)
  for (const [path, page] of REFERENCE_PAGES) writeFileSync(new URL(`../${path}`, import.meta.url), page());
