import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../../shared/service/intent/annotations.ts';
import { readAnnotations } from '../../../../shared/service/intent/read-annotations.ts';
import { tlsReference } from '../../../../shared/model/text/parsers.ts';
import { mayRefer } from '../../../../shared/model/load-balancer/reach.ts';
import { aConfig } from '../../../support/config.ts';

const ID = '6d0f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const OTHER = '7e0f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const OCCM = 'loadbalancer.openstack.org/';

function read(annotations: Readonly<Record<string, string>>, allowedReferences = '') {
  const [namespace = '', kind = '', id = ''] = allowedReferences.split('/');
  const config = {
    ...aConfig(undefined, { subnetId: OTHER }),
    reach: 'allowed',
    allowedReferences: [{ namespace, kind: kind as '*', id }],
  } as const;
  const metadata = { namespace: 'shop', name: 'web', uid: 'u', resourceVersion: '1', annotations };
  return readAnnotations({ metadata, spec: { ports: [{ port: 443 }] } }, config);
}

test('every row that takes an id says what it refers to', () => {
  const takesIds = ANNOTATIONS.filter(
    ({ parse }) =>
      parse === tlsReference || ('value' in parse(ID) && NO_IDS.every((text) => 'allowed' in parse(text))),
  );
  const silent = takesIds.filter(({ refers }) => refers === undefined).map(({ names }) => names[0]);
  expect(takesIds.length).toBeGreaterThan(8);
  expect(silent).toEqual([]);
});

const NO_IDS = ['example.org', 'a=b', 'AES128-SHA'];

const REFERRING = ANNOTATIONS.filter(
  ({ refers }) =>
    refers !== undefined && refers !== 'loadbalancer' && !mayRefer({ reach: 'allowed' }, 'shop', refers, ID),
);

test.each(REFERRING.flatMap(({ names, refers = 'subnet' }) => names.map((name) => [name, refers] as const)))(
  '%s out of reach blocks, and says who can allow it',
  (name, kind) => {
    const { problems } = read({ [name]: ID });
    expect(problems).toEqual([
      {
        field: name,
        value: ID,
        message: `is out of reach of the namespace shop; the operator of levelset can allow it by --allowed-references=shop/${kind}/${ID}; until then the Service is blocked`,
        blocking: true,
      },
    ]);
    expect(read({ [name]: ID }, `shop/${kind}/${ID}`).problems).toEqual([]);
  },
);

test('out of reach, the value is not even looked up, and nothing of cloud.conf takes its place', () => {
  expect(read({ [`${OCCM}subnet-id`]: ID }).loadbalancer).not.toHaveProperty('vip_subnet_id');
});

test('of several certificates the one that is out of reach is named', () => {
  const both = { 'levelset.openstack.org/tls-container-refs': `${ID},https://x/v1/secrets/${OTHER}` };
  expect(read(both, `shop/barbican/${ID}`).problems).toMatchObject([
    { value: `https://x/v1/secrets/${OTHER}`, blocking: true },
  ]);
});

test('an empty choice of a floating subnet is no reference', () => {
  expect(read({ [`${OCCM}floating-subnet`]: '' }).problems).toEqual([]);
});
