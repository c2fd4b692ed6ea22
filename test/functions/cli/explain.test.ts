import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { aService, sandboxWorld, whatIsThere } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

const GO = 'loadbalancer.openstack.org/';
const SUBNET = 'cccccccc-0000-4000-8000-000000000012';

test('explain prints each value with what set it, and what does not count; it changes nothing', async () => {
  const { sandbox, env, flags } = await sandboxWorld();
  const conf = `\n[LoadBalancer]\nlb-method = LEAST_CONNECTIONS\nsubnet-id = ${SUBNET}\nmonitor-delay = 7s\ninternal-lb = true\n[LoadBalancerClass "inner"]\nnetwork-id = ${SUBNET}\nmember-subnet-id = ${SUBNET}\n`;
  await appendFile(flags.cloudConfig, conf);
  const service = aService('web', {
    [`${GO}class`]: 'inner',
    [`${GO}connection-limit`]: 'many',
    [`${GO}health-monitor-timeout`]: '9',
    'levelset.openstack.org/protocol': 'http',
    'levelset.openstack.org/protocol.443': 'https',
    'service.beta.kubernetes.io/load-balancer-source-ranges': '192.0.2.0/24',
    'service.beta.kubernetes.io/openstack-internal-load-balancer': 'false',
    'levelset.openstack.org/approoove': 'x',
  });
  const ports = [80, 443].map((port) => ({ name: `p${port}`, port, protocol: 'TCP' }));
  Object.assign(service['spec'] as object, { ports, loadBalancerSourceRanges: ['198.51.100.0/24'] });
  sandbox.kube.apply(service);

  expect(await run('explain svc/web', env)).toBe(0);
  const text = out.at(-1) ?? '';
  await expect(`${text}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'explain.txt'));

  expect(await run('explain service/default/web -o json', env)).toBe(0);
  const rows = JSON.parse(out.at(-1) ?? '') as unknown;
  expect(await run('explain -n default svc/web -o yaml', env)).toBe(0);
  expect(parse(out.at(-1) ?? '')).toEqual(rows);
  expect(rows).toMatchObject([{ object: 'service/default/web', isOurs: true }]);
  expect(whatIsThere(sandbox)).toEqual({ loadBalancers: 0, floatingIps: 0 });

  expect(await run('explain -n shop svc/web', env)).toBe(1);
  expect(err.at(-1)).toBe('levelset: service/shop/web not found');
  expect(await run('explain node/node-1', env)).toBe(1);
  expect(err.at(-1)).toContain('node/node-1 is not a Service');
});
