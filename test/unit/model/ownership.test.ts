import { expect, test } from 'vitest';
import {
  userDescription,
  describe,
  loadBalancerDescription,
  recordedIn,
  setTags,
} from '../../../shared/model/ownership.ts';
import { isMadeFor } from '../../../shared/model/load-balancer/makers-and-sharers.ts';
import { ATTRIBUTES } from '../../../shared/model/attributes.ts';

const LONG = { namespace: 'n'.repeat(63), name: 's'.repeat(63) };
const own = loadBalancerDescription('a-cluster-of-a-long-name', LONG);

test('the longest one still says for which Service the load balancer was made', () => {
  const description = describe('x'.repeat(96), own);
  expect(Buffer.byteLength(description)).toBeLessThanOrEqual(255);
  const lb = { id: 'lb', name: 'kube_service_c_n_s', description };
  expect(isMadeFor(lb, LONG, 'uid')).toBe(true);
});

test('only what a Service asked for is read back', () => {
  expect(userDescription(describe('Our | shop', own))).toBe('Our | shop');
  for (const text of [own, '', 'by hand', undefined, `${own},lb_version:1.1`])
    expect(userDescription(text)).toBe('');
});

test('no other Service is named by a word of the text', () => {
  const lb = { id: 'lb', name: 'kube_service_x', description: describe('see other/web for more', own) };
  expect(isMadeFor(lb, { namespace: 'other', name: 'web' }, 'u')).toBe(false);
});

const everything = Object.keys(ATTRIBUTES.listener);

test('the record of what is set fits the tags of Octavia, however much it is, and nothing is lost', () => {
  const tags = setTags(everything);
  expect(Math.max(...tags.map(({ length }) => length))).toBeLessThanOrEqual(255);
  expect(recordedIn(['other', ...tags])).toEqual(everything);
  expect(tags.length).toBeGreaterThan(1);
});
