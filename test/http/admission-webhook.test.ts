import fc from 'fast-check';
import request, { type Test } from 'supertest';
import { describe, expect, test } from 'vitest';
import { allAtOnce } from '../../shared/model/turns.ts';
import { judgeAdmission, type AdmissionMode } from '../../shared/service/report/judge-admission.ts';
import { aConfig } from '../support/config.ts';
import { aStoredService } from '../support/service.ts';
import { SELF } from '../unit/trigger/audit-events.ts';
import { testServer, type TestServer } from './test-server.ts';

const PROTOCOL = 'levelset.openstack.org/protocol';
const METHOD = 'loadbalancer.openstack.org/lb-method';
const TOLD = `${PROTOCOL} "ftp" must be tcp, http, https, terminated_https, prometheus; levelset ignores it`;

const withAnnotations = (annotations: Record<string, string>, spec = {}) =>
  aStoredService({ annotations, spec });
const wrong = withAnnotations({ [PROTOCOL]: 'ftp' });

function admitting(mode: AdmissionMode): TestServer {
  return testServer({
    judge: (writing) => Promise.resolve(allAtOnce(judgeAdmission(writing, mode, aConfig()))),
  });
}

const RESOURCE = { group: '', version: 'v1', resource: 'services' };

function ask({ app }: TestServer, change: Record<string, unknown>): Test {
  const asked = { uid: 'u-1', operation: 'CREATE', resource: RESOURCE, object: wrong, ...change };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: asked };
  return request(app).post('/admit/kubernetes').send(review);
}

const responseOf = async (asked: Test): Promise<unknown> => {
  const { status, body } = (await asked) as { readonly status: number; readonly body: Review };
  expect([status, body.apiVersion, body.kind]).toEqual([200, 'admission.k8s.io/v1', 'AdmissionReview']);
  return body.response;
};

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: unknown;
}

/** A Service with every field that is read. */
const MANY = aStoredService({
  annotations: { [PROTOCOL]: 'http', 'levelset.openstack.org/monitor-type.https': 'HTTP' },
  spec: {
    ports: [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'https', port: 443, targetPort: 'https', appProtocol: 'https' },
    ],
    loadBalancerClass: 'openstack',
    loadBalancerIP: '203.0.113.7',
    loadBalancerSourceRanges: ['10.0.0.0/8'],
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 30_999,
  },
});

function pathsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, its]) => pathsIn(its).map((path) => [key, ...path]))];
}

function replaced(value: unknown, [key, ...path]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy: Record<string, unknown> = { ...(value as Record<string, unknown>) };
  copy[key] = replaced(copy[key], path, by);
  return Array.isArray(value) ? Object.values(copy) : copy;
}

const ALLOWED = { uid: 'u-1', allowed: true };

describe('POST /admit/:cluster', () => {
  test('warns of a mistake in the words of a run, and allows it', async () => {
    expect(await responseOf(ask(admitting('warn'), {}))).toEqual({ ...ALLOWED, warnings: [TOLD] });
  });

  test('refuses it where that is asked for, on a dry run too', async () => {
    const refused = { uid: 'u-1', allowed: false, status: { code: 422, reason: 'Invalid', message: TOLD } };
    const server = admitting('refuse');
    expect(await responseOf(ask(server, {}))).toEqual(refused);
    expect(await responseOf(ask(server, { dryRun: true }))).toEqual(refused);
    expect(server.queued).toEqual([]);
  });

  test('refuses no change for an old mistake, and one that adds another', async () => {
    const update = { operation: 'UPDATE', oldObject: wrong };
    const server = admitting('refuse');
    expect(await responseOf(ask(server, update))).toEqual({ ...ALLOWED, warnings: [TOLD] });
    const worse = withAnnotations({ [PROTOCOL]: 'ftp', [METHOD]: 'RANDOM' });
    expect(await responseOf(ask(server, { ...update, object: worse }))).toMatchObject({
      allowed: false,
      status: {
        message: `${METHOD} "RANDOM" must be ROUND_ROBIN, LEAST_CONNECTIONS, SOURCE_IP, SOURCE_IP_PORT; levelset ignores it`,
      },
      warnings: [TOLD],
    });
  });

  test('refuses a Service that becomes one of type LoadBalancer with a mistake', async () => {
    const oldObject = withAnnotations({ [PROTOCOL]: 'ftp' }, { type: 'ClusterIP' });
    const asked = ask(admitting('refuse'), { operation: 'UPDATE', oldObject });
    expect(await responseOf(asked)).toMatchObject({ allowed: false });
  });

  test.each<[string, Record<string, unknown>]>([
    ['without a mistake', { object: withAnnotations({ [PROTOCOL]: 'http' }) }],
    ['of another type', { object: withAnnotations({ [PROTOCOL]: 'ftp' }, { type: 'ClusterIP' }) }],
    ['of another class', { object: withAnnotations({ [PROTOCOL]: 'ftp' }, { loadBalancerClass: 'other' }) }],
    [
      'that leaves',
      { object: { ...wrong, metadata: { ...wrong.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } } },
    ],
    ['that is deleted', { operation: 'DELETE', object: null, oldObject: wrong }],
    ['whose status is written', { operation: 'UPDATE', subResource: 'status', oldObject: wrong }],
    ['that levelset writes itself', { userInfo: { username: SELF } }],
  ])('says nothing about a Service %s', async (_, change) => {
    expect(await responseOf(ask(admitting('refuse'), change))).toEqual(ALLOWED);
  });

  test.each<[string, Record<string, unknown>]>([
    ['another kind of object', { resource: { group: 'apps', version: 'v1', resource: 'deployments' } }],
    ['a Service without a spec', { object: { metadata: wrong.metadata } }],
    ['a Service whose ports are none', { object: { ...wrong, spec: { type: 'LoadBalancer', ports: 7 } } }],
    ['no object', { object: null }],
  ])('allows %s, with a warning', async (_, change) => {
    expect(await responseOf(ask(admitting('refuse'), change))).toEqual({
      ...ALLOWED,
      warnings: [expect.stringMatching(/^levelset (judges Services|could not judge)/)],
    });
  });

  test('judges nothing that no kube-apiserver sends, so that no stranger makes it work or fills its log', async () => {
    const anything = fc.oneof(fc.jsonValue(), fc.constantFrom(null, 7, [null], {}, { length: 7 }));
    const paths = fc.constantFrom(...pathsIn(MANY));
    const server = admitting('refuse');
    await fc.assert(
      fc.asyncProperty(paths, anything, fc.boolean(), async (path, value, isOld) => {
        const object = replaced(MANY, path, value);
        const asked = isOld ? { operation: 'UPDATE', object: wrong, oldObject: object } : { object };
        await responseOf(ask(server, asked));
        expect(server.lines.filter((line) => line.includes('could not be judged'))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test.each<[string, object]>([
    ['ports', aStoredService({ spec: { ports: Array.from({ length: 50_000 }, (_, port) => ({ port })) } })],
    ['annotations', withAnnotations({ [PROTOCOL]: 'x'.repeat(300_000) })],
    ['a key', withAnnotations({ [`levelset.openstack.org/${'.'.repeat(100_000)}`]: 'x' })],
    ['a name', { ...wrong, metadata: { ...wrong.metadata, name: 'x'.repeat(100_000) } }],
  ])('has no opinion of more %s than a kube-apiserver takes', async (_, object) => {
    const server = admitting('refuse');
    expect(await responseOf(ask(server, { object }))).toEqual({
      ...ALLOWED,
      warnings: [expect.stringMatching(/^levelset judges Services/)],
    });
    expect(server.lines.join('').length).toBeLessThan(1_000);
  });

  test('names ten mistakes and counts the others', async () => {
    const many = Array.from({ length: 14 }, (_, at) => [`levelset.openstack.org/x${at}`, 'y'] as const);
    const asked = ask(admitting('warn'), { object: withAnnotations(Object.fromEntries<string>(many)) });
    const { warnings } = (await responseOf(asked)) as { readonly warnings: readonly string[] };
    expect([warnings.length, warnings.at(-1)]).toEqual([11, 'and 4 more']);
  });

  test.each([
    ['no review', '{}', 422, 'not an admission.k8s.io/v1 AdmissionReview'],
    [
      'no uid',
      '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}}',
      422,
      'not an AdmissionReview: "request" must have a "uid"',
    ],
    ['too much', `"${'x'.repeat(5 * 2 ** 20)}"`, 413, 'the body is longer than 4 MB'],
  ])('has no answer to %s', async (_, body, status, error) => {
    const { app } = admitting('warn');
    const answer = await request(app).post('/admit/kubernetes').type('application/json').send(body);
    expect([answer.status, answer.body]).toEqual([status, { error }]);
  });

  test('is no path of a server that was not told to judge, nor of another cluster', async () => {
    expect((await ask(testServer(), {})).status).toBe(404);
    const other = await request(admitting('warn').app).post('/admit/other').send({});
    expect([other.status, other.body]).toEqual([404, { error: 'no such cluster: "other"' }]);
  });
});
