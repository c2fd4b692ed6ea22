import { expect, test } from 'vitest';
import { reachConfig } from '../../../shared/config/reach.ts';
import { GLOBAL, load } from './config-files.ts';

const SUBNET = '6d0f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';

test('without flags nothing is confined, and nobody is allowed anything', async () => {
  const { config } = await load({ cloudConfigText: GLOBAL });

  expect(config).not.toHaveProperty('reach');
  expect(config).not.toHaveProperty('allowedReferences');
});

test('the flags are read, and an id may have slashes', () => {
  const allowedReferences = `shop/subnet/${SUBNET}, */*/*\n edge/barbican/https://b/v1/secrets/${SUBNET}`;
  const problems: string[] = [];
  const read = reachConfig({ reach: 'allowed', allowedReferences }, problems);

  expect(problems).toEqual([]);
  expect(read).toEqual({
    reach: 'allowed',
    allowedReferences: [
      { namespace: 'shop', kind: 'subnet', id: SUBNET },
      { namespace: '*', kind: '*', id: '*' },
      { namespace: 'edge', kind: 'barbican', id: `https://b/v1/secrets/${SUBNET}` },
    ],
  });
});

test.each([
  'shop',
  'shop/subnet',
  'shop/subnet/',
  '/subnet/x',
  'shop/Secret/x',
  'shop/cow/x',
  'a_b/subnet/x',
  'shop/subnet/ab*',
])('an entry that is %s is named, with what is allowed', async (entry) => {
  const refused = load({
    cloudConfigText: GLOBAL,
    reach: 'closed',
    allowedReferences: `shop/subnet/*,${entry}`,
  });

  await expect(refused).rejects.toThrow('--reach is open or allowed, not "closed"');
  await expect(refused).rejects.toThrow(
    `--allowed-references has NAMESPACE/KIND/ID, each of them or *, the kind one of loadbalancer,`,
  );
  await expect(refused).rejects.toThrow(`not ${JSON.stringify(entry)}`);
});
