/**
 * What a tenant or a kubelet can write, as long as an apiserver takes it, is read in linear time (decision 488). Times are CPU time of
 * this thread, so that a busy machine does not count.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndpointSlice, Node, Pod, Service } from '../../../shared/model/kubernetes.ts';
import { readEndpoints, localNodes } from '../../../shared/service/observe/endpoint-slices.ts';
import { addressesOf, nodeSet } from '../../../shared/model/node/node-set.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import { nodeShares } from '../../../shared/service/desired/desire-members.ts';
import { selectNodes } from '../../../shared/service/desired/member-nodes.ts';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import { joinIntent, readAsOtherController } from '../../../shared/service/intent/service-intent.ts';
import { certificateQuestion } from '../../../shared/service/desired/certificates.ts';
import { networkQuestion } from '../../../shared/service/question.ts';
import { aConfig } from '../../support/config.ts';
import { aStoredService } from '../../support/service.ts';
import { aTlsSecret, certificateOf, keyOfPair } from '../../support/tls-secret.ts';
import '../seed.ts';

/** Of a text four times as long the reading takes so many times as long: 4 if it is linear, 16 if it is quadratic. */
const MOST_TIMES = 9;
/** What takes less than this is not measured against anything: the clock of a thread ticks every 4 ms. */
const SHORT_MS = 40;

/** The apiserver's limits: of all annotations of an object together, of an object, of endpoints of a slice. */
const ANNOTATIONS_BYTES = 256 * 1024;
const OBJECT_BYTES = 1_500_000;
const ENDPOINTS = 1_000;

function timeOf(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1_000;
}

/** Reads something of size 1, and if that is slow, of a quarter of it. `make` prepares the work for a size. */
function expectLinear(make: (size: number) => () => unknown, what = ''): void {
  const [whole, quarter] = [make(1), make(0.25)];
  // up to three tries, since a collection of garbage belongs to nobody
  for (let tries = 1; ; tries += 1) {
    const totalMs = timeOf(whole);
    const times = totalMs < SHORT_MS ? 0 : totalMs / Math.max(timeOf(quarter), SHORT_MS / 8);
    if (tries < 3 && times >= MOST_TIMES) continue;
    expect(times, `${what}: ${totalMs} ms are so many times a quarter's`).toBeLessThan(MOST_TIMES);
    return;
  }
}

const textOf = (object: string, length: number): string =>
  object.repeat(Math.ceil(length / object.length)).slice(0, Math.floor(length));

const PORTS = Array.from({ length: 100 }, (_, at) => ({ name: `p${at}`, port: 1_000 + at }));
const config = aConfig();

/** What is read of a Service of this size. */
const expectLinearOf = (serviceOf: (size: number) => Service, what?: string): void => {
  expectLinear((size) => {
    const service = serviceOf(size);
    return () => {
      joinIntent(service, config);
      const { intent } = readAsOtherController(service, undefined, config);
      return intent && [networkQuestion(intent), certificateQuestion(intent, config)];
    };
  }, what);
};

/** Texts over which readers have tripped: brackets, blanks, separators, and what nearly matches. */
const TRIPS = [
  ...'[({ \t,a-.=1:/!~*\0'.split(''),
  ...['😀', 'a,', 'a ', 'a-', 'a.', '1,', '1.1.1.1/8,', '::1/64,'],
  ...['a=1,', 'a/', '[a', '(a|', '{1,3}', '~(', '!&a,', '1=1'],
];

describe('reading takes linear time:', () => {
  test.each(ANNOTATIONS.map((row) => [row.names[0] ?? '', row] as const))('%s', (name, row) => {
    const expectOf = (object: string): void => {
      expectLinearOf((size) => {
        const text = textOf(object, size * ANNOTATIONS_BYTES);
        return aStoredService({ annotations: { [name]: text }, spec: { ports: PORTS } });
      }, JSON.stringify(object));
    };
    expectOf(`${row.example},`);
    if (!row.list) for (const object of TRIPS) expectOf(object);
    const objects = fc.oneof(fc.constantFrom(...TRIPS), fc.string({ minLength: 1, maxLength: 4 }));
    const { numRuns = 100 } = fc.readConfigureGlobal();
    fc.assert(fc.property(objects, expectOf), { numRuns: Math.ceil(numRuns / 50) });
  });

  test('an annotation that is no list and longer than 4 kB is refused before it is read', () => {
    for (const row of ANNOTATIONS.filter(({ list }) => !list)) {
      const [name = ''] = row.names;
      const service = aStoredService({ annotations: { [name]: row.example.padEnd(5_000) } });
      const { intent } = readAsOtherController(service, undefined, config);
      const told = intent?.problems.map(({ message }) => message).join();
      expect(told, name).toContain('at most 4096 characters');
    }
  });

  test('many annotations, known and unknown', () => {
    expectLinearOf((size) => {
      const length = (size * ANNOTATIONS_BYTES) / 40;
      const all = Array.from({ length }, (_, at) => [`levelset.openstack.org/protocol.${at}`, 'http']);
      const annotations = Object.fromEntries(all) as Record<string, string>;
      return aStoredService({ annotations, spec: { ports: PORTS } });
    });
  });

  test.each(['10.%d.0.1/24', 'fd00::%d/128', '[%d', '%d.0.0.0/8'])('source ranges like %s', (range) => {
    expectLinearOf((size) => {
      const length = (size * OBJECT_BYTES) / (range.length + 4);
      const ranges = Array.from({ length }, (_, at) => range.replace('%d', String(at % 9999)));
      return aStoredService({ spec: { loadBalancerSourceRanges: ranges, ipFamilies: ['IPv4', 'IPv6'] } });
    });
  });

  test('ports', () => {
    expectLinearOf((size) => {
      const ports = Array.from({ length: size * 20_000 }, (_, at) => ({ name: `p${at}`, port: at + 1 }));
      return aStoredService({ spec: { ports } });
    });
  });

  const FIELDS = ['externalIPs', 'ipFamilies', 'loadBalancerIP', 'loadBalancerClass', 'externalName'];
  test.each(FIELDS)('spec.%s', (field) => {
    expectLinearOf((size) => {
      const isList = field === 'externalIPs' || field === 'ipFamilies';
      const text = textOf('1.', size * OBJECT_BYTES);
      const value = isList ? Array.from({ length: size * 100_000 }, () => 'IPv4') : text;
      return aStoredService({ spec: { [field]: value } });
    });
  });

  test('labels and selector', () => {
    expectLinearOf((size) => {
      const many = Object.fromEntries(Array.from({ length: size * 50_000 }, (_, at) => [`l${at}`, 'v']));
      const service = aStoredService({ spec: { selector: many } });
      return { ...service, metadata: { ...service.metadata, labels: many } };
    });
  });

  const podsOf = (count: number): readonly Pod[] =>
    Array.from({ length: count }, (_, at) => ({
      metadata: { name: `p${at}`, uid: `u${at}` },
      status: { podIPs: [{ ip: `10.0.${at >> 8}.${at & 255}` }] },
    })) as unknown as readonly Pod[];

  /** Slices as `attacks/slow-endpoint-slices.ts` of 9137b75 had them: each with a hundred ports. */
  const slicesOf = (count: number, pod: (slice: number, at: number) => string): readonly EndpointSlice[] =>
    Array.from({ length: count }, (_, slice) => ({
      addressType: 'IPv4',
      ports: PORTS.map(({ name, port }) => ({ name, port, protocol: 'TCP' })),
      endpoints: Array.from({ length: ENDPOINTS }, (__, at) => ({
        addresses: [`10.${slice}.${at >> 8}.${at & 255}`],
        nodeName: `n${slice}-${at}`,
        targetRef: { kind: 'Pod', name: pod(slice, at) },
      })),
    })) as unknown as readonly EndpointSlice[];

  test.each<[string, (slice: number, at: number) => string]>([
    ['Pods that are there', (slice, at) => `p${slice * 200 + (at % 200)}`],
    ['a Pod each, which is not there', (slice, at) => `x${slice}-${at}`],
  ])('EndpointSlices that name %s', (_what, pod) => {
    const spec = { allocateLoadBalancerNodePorts: false, ports: PORTS.slice(0, 10) };
    const service = aStoredService({ spec });
    expectLinear((size) => {
      const [slices, pods] = [slicesOf(size * 40, pod), podsOf(size * 8_000)];
      return () => readEndpoints(slices, service, pods, () => true);
    });
    expectLinear((size) => {
      const slices = slicesOf(size * 40, pod);
      return () => localNodes(slices, service);
    });
  });

  test('Secrets with a chain as long as the apiserver takes', () => {
    expectLinear((size) => {
      const whole = textOf(certificateOf('one'), size * 700_000);
      const crt = whole.replace(/-----BEGIN[^-]*(-----BEGI?N?|-*)$/, '');
      const secret = aTlsSecret('one', { crt: crt.slice(0, crt.lastIndexOf('-----END') + 25) });
      return () => readTlsSecret(secret);
    });
  });

  const BEGIN = '-----BEGIN CERTIFICATE-----';
  test.each([BEGIN, `${BEGIN}\n`, '-', 'A', '\n'])('Secrets of %j', (object) => {
    expectLinear((size) => {
      const text = textOf(object, size * 700_000);
      const secret = aTlsSecret('one', { crt: text, key: `${keyOfPair('one')}${text}` });
      return () => readTlsSecret(secret);
    });
  });

  test.each(['10.0.%a.%b', 'fd00::%a:%b', 'x%a%b'])('Nodes with addresses like %s', (like) => {
    const subnet = { id: 's', network_id: 'n', cidr: like.includes(':') ? 'fe80::/64' : '192.0.2.0/24' };
    expectLinear((size) => {
      const addresses = Array.from({ length: (size * OBJECT_BYTES) / 50 }, (_, at) => ({
        type: 'InternalIP',
        address: like.replace('%a', String(at >> 8)).replace('%b', String(at & 255)),
      }));
      const node = { metadata: { name: 'a', uid: 'a' }, status: { addresses } };
      const nodes = [node] as unknown as readonly Node[];
      return () => {
        nodeSet(nodes, subnet, like.includes(':') ? 6 : 4);
        addressesOf(nodes);
      };
    });
  });

  test('labels and taints of Nodes, and the names that annotations have for them', () => {
    expectLinear((size) => {
      const count = size * 12_000;
      const names = Array.from({ length: count }, (_, at) => `n${at}`);
      const labels = Object.fromEntries(names.map((name) => [name, 'x']));
      const nodes = Array.from({ length: 3 }, (_, at) => ({
        metadata: { name: `n${at}`, uid: 'a', labels },
        spec: { taints: names.map((key) => ({ key, effect: 'NoSchedule' })) },
      })) as unknown as readonly Node[];
      const reachable = nodes.map(({ metadata: { name } }, at) => ({ name, address: `10.0.0.${at}` }));
      const weights = Object.fromEntries(names.map((name) => [name, 1]));
      const settings = { memberWeights: weights, backupMembers: names };
      const none = { listener: {}, pool: {}, member: {}, healthmonitor: {}, spelled: {} };
      const port = { ...none, ServicePort: settings };
      return () => {
        selectNodes(nodes, labels);
        nodeShares(port, reachable, names);
      };
    });
  });
});
