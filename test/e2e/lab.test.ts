/** The harness itself: what the other files here stand on. levelset takes no part. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  aNamespace,
  apply,
  aService,
  AUDIT_TOKEN,
  cloud,
  countCalls,
  kube,
  kubectl,
  kubeRequest,
  lab,
  OpenStack,
  removeNamespace,
  servicePath,
  startAuditSink,
  until,
  writes,
} from './lab/lab.ts';

it('takes the examples', async () => {
  const said = await kubectl([
    'apply',
    '--dry-run=server',
    '--validate=strict',
    '-f',
    join(lab().repository, 'examples'),
  ]);
  expect(said.split('\n').length).toBeGreaterThan(4);
});

it('audit events tell of writes to Services by others, with the token, and of nothing else', async () => {
  const sink = await startAuditSink();
  const namespace = await aNamespace();
  try {
    await apply([aService(namespace, 'web')]);
    await kubectl(['-n', namespace, 'annotate', 'service', 'web', 'a=b']);
    const path = servicePath(namespace, 'web');
    await kube.patch(`${path}/status`, { status: { loadBalancer: null } });
    const own = { metadata: { finalizers: [] } };
    await kubeRequest('PATCH', `${path}/status`, own, { token: lab().levelsetToken });
    await kubectl(['-n', namespace, 'delete', 'service', 'web']);
    const ours = () => sink.events.filter(({ objectRef }) => objectRef?.namespace === namespace);
    await until('the delete to arrive', () => ours().some(({ verb }) => verb === 'delete'));
    expect(ours().map(({ verb, level, objectRef }) => [verb, level, objectRef?.resource])).toEqual([
      ['patch', 'Metadata', 'services'], // server-side apply
      ['patch', 'Metadata', 'services'],
      ['delete', 'Metadata', 'services'],
    ]);
    expect(new Set(sink.deliveries.map(({ path: at }) => at))).toEqual(new Set(['/audit/lab?timeout=30s']));
    expect(new Set(sink.deliveries.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${AUDIT_TOKEN}`]),
    );
  } finally {
    await removeNamespace(namespace);
    sink.close();
  }
});

it("countCalls counts levelset's calls where they arrive, and nobody else's", async () => {
  const levelset = new OpenStack(lab().levelsetCloud, 'levelset');
  await levelset.session();
  const counter = await countCalls();
  await levelset.must('load-balancer', 'GET', '/v2.0/lbaas/loadbalancers?limit=1');
  await levelset.must('network', 'GET', '/v2.0/floatingips');
  await levelset.request('network', 'POST', '/v2.0/floatingips', { floatingip: {} });
  await cloud().must('load-balancer', 'GET', '/v2.0/lbaas/pools');
  await cloud().must('network', 'GET', '/v2.0/ports');
  const calls = await counter.stop();
  expect(calls).toEqual([
    { service: 'octavia', method: 'GET', path: '/v2.0/lbaas/loadbalancers?limit=1', status: 200 },
    { service: 'neutron', method: 'GET', path: '/v2.0/floatingips', status: 200 },
    { service: 'neutron', method: 'POST', path: '/v2.0/floatingips', status: 400 },
  ]);
  expect(writes(calls).length).toBe(1);
});
