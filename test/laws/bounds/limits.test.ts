/**
 * One tenant's Service, at the limits and far beyond them, costs a process with a heap of 256 MB neither its life nor a neighbour
 * more than a second.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../../../build.ts';
import { LIMITS } from '../../../shared/model/load-balancer/reach-and-limits.ts';
import { pause, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

const OWN = 'levelset.openstack.org/';
const HEAP = ['--max-old-space-size=256', '--max-semi-space-size=4'];
/** Or as long as it takes alone, where a machine is slow. */
const LATER_MS = 1_000;

/** The program as it is shipped. */
const directory = mkdtempSync(join(tmpdir(), 'levelset-program-'));
beforeAll(() => buildProgram(directory));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

type Attack = (it: SandboxWorld) => void;

const evil =
  (wanted: Parameters<typeof aService>[0]): Attack =>
  ({ kube }) =>
    kube.apply(aService({ name: 'evil', ...wanted }));

const portsOf = (count: number, nodePort = true) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ name: `p${at}`, port: at + 1, protocol: 'TCP' },
    ...(nodePort ? { nodePort: 30_000 + at } : {}),
  }));
const rangesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${10 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}.0/24`);
const named = (count: number, name: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => name(at)).join(',');

const openings = (ports: number, ranges: number): Attack =>
  evil({ spec: { ports: portsOf(ports), loadBalancerSourceRanges: rangesOf(ranges) } });

const HTTPS = { ports: [{ name: 'https', port: 443 }] };
const certificates = (count: number): Attack =>
  evil({ annotations: { [`${OWN}tls-secret`]: named(count, (at) => at.toString(36)) }, spec: HTTPS });

const subnetId = (at: number): string => `6d0f0d8e-1d1a-4f4a-9a51-${String(at).padStart(12, '0')}`;
const subnets = (count: number): Attack =>
  evil({ annotations: { [`${OWN}additional-vip-subnet-ids`]: named(count, subnetId) } });

const OF_EVIL = { 'kubernetes.io/service-name': 'evil' };

/** So many EndpointSlices, each with another number for each port, of so many Pods. */
const pods =
  (slices: number, count: number, ports: number): Attack =>
  ({ sandbox: { kube } }) => {
    const labels = { app: 'evil' };
    const spec = { allocateLoadBalancerNodePorts: false, ports: portsOf(ports, false), selector: labels };
    const ipOf = (at: number): string => `10.0.${100 + (at >> 8)}.${at & 255}`;
    for (let at = 0; at < count; at += 1)
      kube.apply({
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${at}`, namespace: 'default', labels } },
        ...{ spec: { nodeName: 'node-1' }, status: { phase: 'Running', podIPs: [{ ip: ipOf(at) }] } },
      });
    for (let slice = 0; slice < slices; slice += 1)
      kube.apply({
        ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' },
        metadata: { name: `e${slice}`, namespace: 'default', labels: OF_EVIL },
        ports: portsOf(ports, false).map(({ name, protocol }) => ({ name, protocol, port: 1_024 + slice })),
        endpoints: Array.from({ length: count }, (_, at) => ({
          ...{ addresses: [ipOf(at)], conditions: { ready: true } },
          targetRef: { kind: 'Pod', name: `pod-${at}`, namespace: 'default' },
        })),
      });
    kube.apply(aService({ name: 'evil', spec }));
  };

const MOST_OPENINGS = openings(LIMITS.ports, LIMITS.openings / LIMITS.ports);

const ATTACKS: readonly { readonly what: string; readonly attack: Attack; readonly isOvn?: true }[] = [
  { what: 'ports and ranges at the limit', attack: MOST_OPENINGS },
  { what: '1,000 ports and 8,000 ranges', attack: openings(1_000, 8_000) },
  { what: 'openings of a security group at the limit', attack: MOST_OPENINGS, isOvn: true },
  { what: '200 ports and 2,000 ranges in a security group', attack: openings(200, 2_000), isOvn: true },
  { what: 'certificates at the limit', attack: certificates(LIMITS.names) },
  { what: '20,000 certificates', attack: certificates(20_000) },
  { what: 'subnets at the limit', attack: subnets(LIMITS.names) },
  { what: '6,900 subnets', attack: subnets(6_900) },
  { what: 'Pods at the limit', attack: pods(5, 500, 100) },
  { what: 'one Pod in 1,000 EndpointSlices', attack: pods(1_000, 1, 100) },
];

test.each(ATTACKS)('$what', async ({ what, attack, isOvn }) => {
  const it = await startSandboxWorld(
    isOvn ? { octavia: { provider: 'ovn' } } : {},
    isOvn ? { lbProvider: 'ovn', manageSecurityGroups: true } : {},
  );
  const flags = [`--kubeconfig=${it.kubeconfig}`, `--cloud-config=${it.cloudConfig}`, '--listen=127.0.0.1:0'];
  const args = [...HEAP, join(directory, 'levelset.mjs'), 'serve', ...flags, '--watch'];
  const serve = spawn(process.execPath, args, { stdio: 'ignore', env: {} });
  const ended = once(serve, 'close');
  const isServed = (name: string): boolean =>
    JSON.stringify(it.sandbox.kube.get('Service', 'default', name)?.status ?? '').includes('"ip"');
  const servedIn = async (name: string): Promise<number> => {
    it.sandbox.kube.apply(aService({ name }));
    const began = performance.now();
    while (!isServed(name)) {
      if (serve.exitCode !== null || serve.signalCode !== null)
        throw new Error(`levelset ended: ${serve.exitCode ?? serve.signalCode}`);
      if (performance.now() - began > 60_000) throw new Error(`${name} is not served within a minute`);
      await pause(20);
    }
    return performance.now() - began;
  };
  try {
    await servedIn('first');
    const alone = Math.max(await servedIn('alone-1'), await servedIn('alone-2'));
    attack(it);
    await pause(100);
    const beside = [await servedIn('beside-1'), await servedIn('beside-2'), await servedIn('beside-3')];
    console.log(`${what}: ${Math.round(alone)} ms alone, beside it ${beside.map(Math.round).join(', ')} ms`);
    expect(Math.max(...beside) - alone).toBeLessThan(Math.max(LATER_MS, alone));
  } finally {
    serve.kill('SIGKILL');
    await ended;
    await it.close();
  }
});
