/** `serve --dry-run`: a cluster that was cloned from an etcd snapshot comes up without writing anything (decision 4). */
import { expect, test } from 'vitest';
import type { Report } from '../../../shared/model/outcome.ts';
import { RESYNC_TOKEN } from '../../http/tokens.ts';
import { aService } from '../../support/service.ts';
import { aWorld } from '../../support/for-one-test.ts';
import { forceDelete } from '../../support/told.ts';
import { running } from '../running.ts';

test('serve --dry-run writes nothing, whatever there is to do, and says so', async () => {
  const it = await aWorld();
  const { sandbox } = it;
  for (const name of ['edited', 'deleted', 'vanished', 'as-it-was']) sandbox.kube.apply(aService({ name }));
  await it.sweepUntilSettled();
  sandbox.kube.apply(aService({ name: 'edited', spec: { ports: [{ name: 'https', port: 443 }] } }));
  sandbox.kube.delete('Service', 'default', 'deleted');
  forceDelete(sandbox, 'vanished');
  sandbox.kube.apply(aService({ name: 'new' }));
  sandbox.kube.apply(aService({ name: 'wrong', spec: { loadBalancerSourceRanges: ['x'] } }));
  const from = sandbox.requests.length;
  const reports: Report[] = [];

  const controllers = 'service-lb-controller,cloud-node-controller';
  const { lines, get, post } = await running(
    { flags: { kubeconfig: it.kubeconfig, cloudConfig: it.cloudConfig } },
    { dryRun: true, orphanDelay: '0s', controllers },
    { reported: (report) => void reports.push(report) },
  );
  const asked = await post('/resync', RESYNC_TOKEN, { objects: ['service/default/new'] });
  const keys = () => new Set(reports.map(({ request }) => request.key));
  await expect.poll(() => keys().size, { timeout: 4_000 }).toBeGreaterThan(4);
  const page = await get('/');

  expect(asked.ok).toBe(true);
  const writes = sandbox.requests
    .slice(from)
    .filter(({ write, path }) => write && !path.includes('/auth/tokens'));
  expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  expect(reports.flatMap(({ applied }) => applied)).toEqual([]);
  expect(reports.every(({ request }) => request.dryRun)).toBe(true);
  const notice = 'dry run: levelset shows what it would do';
  expect(lines.join('\n')).toContain(`${notice}, and writes nothing to Kubernetes or OpenStack`);
  expect(page).toContain(notice);
  expect(page).toMatch(/dry run: \d to create/);
});
