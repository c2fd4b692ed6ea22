/** What `levelset serve`, for one cluster and for several, shows of itself after a bad day on the sandbox. */
import { serve, type Serving } from '../../../functions/serve.ts';
import { serveClusters } from '../../../functions/clusters/serve-clusters.ts';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { cloudConfFor, kubeconfigFor, SILENT } from '../../support/sandbox-world.ts';
import { aTlsSecret } from '../../support/tls-secret.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN } from '../../http/tokens.ts';
import { addressOf, aService, sandboxWorld, until } from '../sandbox-world.ts';

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

const ENV = { LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN, LEVELSET_RESYNC_TOKENS: RESYNC_TOKEN };

/** Series of both, as they were after the first sweep and at the end of the day. */
export interface Scraped {
  readonly before: readonly Series[];
  readonly after: readonly Series[];
}

export async function scrapeSandboxes(): Promise<Scraped> {
  const { sandbox, flags } = await sandboxWorld({ pendingMs: 20 });
  const one = await serve({
    flags: { ...flags, watch: true, sweepInterval: '2s', listen: '127.0.0.1:0' },
    env: ENV,
    log: SILENT,
  });
  onTestFinished(() => one.stop());
  const texts = { kubeconfig: kubeconfigFor(sandbox), 'cloud.conf': cloudConfFor(sandbox.authUrl) };
  const source = {
    names: () => Promise.resolve(['prod-a', 'broken']),
    read: (name: string) => Promise.resolve(name === 'broken' ? { ...texts, kubeconfig: 'none' } : texts),
  };
  const flagsOfMany = {
    flags: { allowLocalServers: 'true', sweepInterval: '1h', listen: '127.0.0.1:0' },
    env: ENV,
    log: SILENT,
  };
  const many = await serveClusters({ ...flagsOfMany, everyMs: 20 }, source);
  onTestFinished(() => many.stop());
  const both = [one, many];
  await until(
    'both have swept',
    async () => (await seriesOf(both)).filter(({ name }) => name === 'levelset_sweeps_total').length >= 2,
  );
  const before = await seriesOf(both);
  const isIdle = (): boolean => both.every(({ idle }) => idle());
  const mended = await badDay(sandbox, one, isIdle);
  const last = await seriesOf(both);
  const shown = new Set(last.map(({ name }) => name));
  return { before, after: [...last, ...mended.filter(({ name }) => !shown.has(name))] };
}

/**
 * Addresses are given, somebody changes a pool, both sides fail, a stranger posts, and at last the password is refused. Returns what is
 * shown before that: a sweep after it does not know the load balancers.
 */
async function badDay(
  { kube, cloud, fault, setAuditSink }: Sandbox,
  serving: Serving,
  isIdle: () => boolean,
): Promise<readonly Series[]> {
  const { url } = serving;
  setAuditSink(`${url}/audit/kubernetes`, AUDIT_TOKEN);
  const { type, data } = aTlsSecret('one');
  kube.apply({ kind: 'Secret', metadata: { name: 'web-tls' }, type, data: { ...data } });
  kube.apply(aService('web', { 'levelset.openstack.org/tls-secret': 'web-tls' }));
  const web = () => kube.get('Service', 'default', 'web');
  await until('an address', () => addressOf(web()) !== undefined);
  const resync = () =>
    fetch(`${url}/resync`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${RESYNC_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ objects: ['service/default/web'] }),
    });
  await until('all is done', isIdle);
  // what somebody changes is told from levelset's own work once a run has read what is there
  await resync();
  await until('all is read', isIdle);
  for (const pool of cloud.pools) pool['lb_algorithm'] = 'LEAST_CONNECTIONS';
  for (const lb of cloud.loadbalancers) lb.updated_at = '2040-01-01T00:00:00';
  await resync();
  await untilShown(serving, 'levelset_drift_total');
  const failing = async (side: 'openstack' | 'kube', metric: string, labels: Series['labels']) => {
    const end = fault({ match: { side, method: 'GET' }, kind: 'fail-before', times: 1_000 });
    await resync();
    await untilShown(serving, metric, labels);
    end();
    await resync();
  };
  // a run that fails, not only a request: the next try of one may be answered
  await failing('openstack', 'levelset_failures_total', {});
  await failing('kube', 'levelset_sweeps_total', { result: 'failed' });
  await fetch(`${url}/audit/kubernetes`, { method: 'POST', headers: { Authorization: 'Bearer wrong' } });
  await until('all is mended', isIdle);
  await untilShown(serving, 'levelset_load_balancers');
  const mended = await seriesOf([serving]);
  const match = { side: 'openstack' } as const;
  fault({ match, kind: 'fail-before', status: 401, times: 1_000 });
  await resync();
  await untilShown(serving, 'levelset_openstack_requests_total', { service: 'identity', status: '401' });
  return mended;
}

async function untilShown(serving: Serving, metric: string, wanted: Series['labels'] = {}): Promise<void> {
  const isIt = ({ name, labels }: Series): boolean =>
    name === metric && Object.entries(wanted).every(([label, value]) => labels[label] === value);
  await until(`${metric} is shown`, async () => (await seriesOf([serving])).some(isIt));
}

async function seriesOf(servings: readonly Serving[]): Promise<readonly Series[]> {
  const texts = servings.map(async ({ url }) => (await fetch(`${url}/metrics`)).text());
  return (await Promise.all(texts)).flatMap(parse);
}

/** The lines of Prometheus's text format that are values. */
function parse(text: string): readonly Series[] {
  return [...text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', inside = '', value = '']) => ({
      name,
      labels: Object.fromEntries(
        [...inside.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', is = '']) => [label, is]),
      ),
      value,
    }),
  );
}
