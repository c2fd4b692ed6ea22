/** Audit events per second on one core: `node test/bench/audit.ts`. Batches of 400, as the apiserver sends them at most. */
import { readEventList } from '../../shared/trigger/audit-schema.ts';
import { keysFromAudit } from '../../shared/trigger/keys-from-audit.ts';
import { eventList, nodeEvent, SELF, serviceEvent } from '../unit/trigger/audit-events.ts';

const BATCH = 400;
const RUNS = 2000;

const items = Array.from({ length: BATCH }, (_, i) => {
  if (i % 4 === 0) return nodeEvent('patch', { auditID: `node-${i}` });
  if (i % 4 === 1) return serviceEvent('patch', { user: { username: SELF } });
  const objectRef = { resource: 'services', namespace: 'shop', name: `web-${i % 40}` };
  return serviceEvent('update', { auditID: `service-${i}`, objectRef });
});
const body = JSON.stringify(eventList(items));

function perSecond(run: () => void): number {
  for (let i = 0; i < RUNS / 10; i++) run();
  const start = performance.now();
  for (let i = 0; i < RUNS; i++) run();
  return Math.round((RUNS * BATCH) / ((performance.now() - start) / 1000));
}

const mapped = perSecond(() => keysFromAudit(items, [SELF]));
const parsed = perSecond(() => {
  const list = readEventList(JSON.parse(body));
  if (typeof list === 'string') throw new Error(list);
  keysFromAudit(list.items ?? [], [SELF]);
});
console.log(`events to keys: ${mapped.toLocaleString('en')} events/s`);
console.log(
  `with JSON.parse (${Math.round(body.length / 1024)} kB a batch): ${parsed.toLocaleString('en')} events/s`,
);
