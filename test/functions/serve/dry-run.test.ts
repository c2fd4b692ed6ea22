/** `serve --dry-run`: a cluster that was cloned from an etcd snapshot comes up without writing anything (decision 4). */
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import { forceDelete } from '../../support/told.ts';

test('serve --dry-run writes nothing, whatever there is to do, and says so', async () => {
  const it = await startSandboxWorld();
  onTestFinished(() => it.close());
  const { sandbox } = it;
  for (const name of ['edited', 'deleted', 'vanished', 'as-it-was']) sandbox.kube.apply(aService({ name }));
  await it.sweepUntilSettled();
  sandbox.kube.apply(aService({ name: 'edited', spec: { ports: [{ name: 'https', port: 443 }] } }));
  sandbox.kube.delete('Service', 'default', 'deleted');
  forceDelete(sandbox, 'vanished');
  sandbox.kube.apply(aService({ name: 'new' }));
  sandbox.kube.apply(aService({ name: 'wrong', spec: { loadBalancerSourceRanges: ['x'] } }));
  const from = sandbox.requests.length;
  const [lines, reports]: [string[], Report[]] = [[], []];
  const note = (message: string): void => void lines.push(message);

  const serving = await serve({
    flags: {
      ...{ kubeconfig: it.kubeconfig, cloudConfig: it.cloudConfig, listen: '127.0.0.1:0', orphanDelay: '0s' },
      ...{ dryRun: true, controllers: 'service-lb-controller,cloud-node-controller' },
    },
    env: { LEVELSET_RESYNC_TOKENS: 'a-token-of-twenty-characters' },
    log: { debug: note, info: note, warn: note, error: note },
    reported: (report) => void reports.push(report),
  });
  onTestFinished(() => serving.stop());
  const asked = await fetch(`${serving.url}/resync`, {
    method: 'POST',
    headers: { authorization: 'Bearer a-token-of-twenty-characters', 'content-type': 'application/json' },
    body: JSON.stringify({ objects: ['service/default/new'] }),
  });
  await vi.waitFor(() => {
    expect(new Set(reports.map(({ request }) => request.key)).size).toBeGreaterThan(4);
  }, 4_000);
  const page = await (await fetch(serving.url, { headers: { accept: 'text/html' } })).text();

  expect(asked.ok).toBe(true);
  const writes = sandbox.requests
    .slice(from)
    .filter(({ write, path }) => write && !path.includes('/auth/tokens'));
  expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  expect(reports.flatMap(({ applied }) => applied)).toEqual([]);
  expect(reports.every(({ request }) => request.dryRun)).toBe(true);
  expect(lines).toContain(
    'dry run: levelset shows what it would do, and writes nothing to Kubernetes or OpenStack',
  );
  expect(page).toContain('dry run: levelset shows what it would do');
  expect(page).toMatch(/dry run: \d to create/);
});
