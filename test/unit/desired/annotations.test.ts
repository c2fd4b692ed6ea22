import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS, readAnnotations } from '../../../shared/desired/annotations.ts';
import { aConfig } from '../../support/config.ts';

const UUID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const OCCM = 'loadbalancer.openstack.org/';
const LEGACY = 'service.beta.kubernetes.io/';

/** One row per annotation: what is taken, as what, and what is refused. */
const ROWS: readonly (readonly [key: string, good: string, value: unknown, bad: string])[] = [
  [`${OCCM}subnet-id`, UUID, UUID, '../subnets'],
  [`${OCCM}network-id`, UUID.toUpperCase(), UUID, 'private'],
  [`${OCCM}member-subnet-id`, UUID.replaceAll('-', ''), UUID.replaceAll('-', ''), ''],
  [`${OCCM}lb-method`, 'LEAST_CONNECTIONS', 'LEAST_CONNECTIONS', 'RANDOM'],
  [`${OCCM}connection-limit`, '1000', 1000, '1e3'],
  [`${OCCM}floating-network-id`, UUID, UUID, 'public'],
  [`${OCCM}floating-subnet-id`, UUID, UUID, '*'],
  [`${OCCM}health-monitor-delay`, '7', 7, '0'],
  [`${OCCM}health-monitor-timeout`, '2', 2, '2s'],
  [`${OCCM}health-monitor-max-retries`, '10', 10, '11'],
  [`${OCCM}health-monitor-max-retries-down`, '1', 1, '-1'],
  [`${OCCM}enable-health-monitor`, 'false', false, 'no'],
  [`${LEGACY}openstack-internal-load-balancer`, 'true', true, 'yes'],
  [`${OCCM}keep-floatingip`, 'True', true, '1'],
  [`${OCCM}hostname`, 'App.example.org', 'app.example.org', '192.0.2.1'],
  [`${LEGACY}load-balancer-source-ranges`, '10.0.0.0/8, 192.0.2.0/24', ['10.0.0.0/8', '192.0.2.0/24'], ' , '],
];

const read = (annotations: Record<string, string>): ReturnType<typeof readAnnotations> =>
  readAnnotations(
    { metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', annotations } },
    aConfig(),
  );

const valueOf = (key: string, annotations: Record<string, string>): unknown => {
  const row = ANNOTATIONS.find((candidate) => candidate.key === key);
  const { attributes, settings } = read(annotations);
  if (!row) return undefined;
  return 'on' in row ? (attributes[row.on] as Record<string, unknown>)[row.sets] : settings[row.setting];
};

describe.each(ROWS)('%s', (key, good, value, bad) => {
  test(`takes ${good}`, () => {
    expect(valueOf(key, { [key]: good })).toEqual(value);
    expect(read({ [key]: good }).problems).toEqual([]);
  });

  test(`refuses ${JSON.stringify(bad)}, says why, and falls back to its default`, () => {
    expect(read({ [key]: bad }).problems).toMatchObject([{ field: key, value: bad }]);
    expect(valueOf(key, { [key]: bad })).toEqual(valueOf(key, {}));
  });
});

test('every annotation of the table has its row here', () => {
  expect(ROWS.map(([key]) => key).sort()).toEqual(ANNOTATIONS.map(({ key }) => key).sort());
});

test('three mistakes make three problems, and the fourth annotation still counts', () => {
  const { problems, attributes } = read({
    [`${OCCM}lb-method`]: 'x',
    [`${OCCM}connection-limit`]: 'x',
    [`${OCCM}proxy-protocol`]: 'v2',
    [`${OCCM}health-monitor-delay`]: '9',
  });
  expect(problems.map(({ field }) => field).sort()).toEqual([
    `${OCCM}connection-limit`,
    `${OCCM}lb-method`,
    `${OCCM}proxy-protocol`,
  ]);
  expect(attributes.healthmonitor.delay).toBe(9);
});

test('annotations of others, and our own output, are no problem', () => {
  const others = {
    'example.org/x': '1',
    [`${OCCM}load-balancer-id`]: UUID,
    [`${OCCM}load-balancer-address`]: '192.0.2.1',
  };
  expect(read(others).problems).toEqual([]);
});

test('no text makes the reader throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ANNOTATIONS.map(({ key }) => key)), fc.string(), (key, text) => {
      expect(() => read({ [key]: text })).not.toThrow();
    }),
  );
});
