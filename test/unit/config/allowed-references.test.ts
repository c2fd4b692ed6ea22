import { expect, test } from 'vitest';
import { allowedReferences } from '../../../shared/config/read-value.ts';
import { GLOBAL, load } from './config-files.ts';

const SUBNET = '6d0f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';

test('without flags nothing is confined, and nobody is allowed anything', async () => {
  const { config } = await load({ cloudConfigText: GLOBAL });
  expect(config).not.toHaveProperty('reach');
  expect(config).not.toHaveProperty('allowedReferences');
});

test('the flags are read, and an id may have slashes', async () => {
  const { config } = await load({
    cloudConfigText: GLOBAL,
    reach: 'allowed',
    allowedReferences: `shop/subnet/${SUBNET}, */*/*\n edge/barbican/https://b/v1/secrets/${SUBNET}`,
  });
  expect(config).toMatchObject({
    reach: 'allowed',
    allowedReferences: [
      { namespace: 'shop', kind: 'subnet', id: SUBNET },
      { namespace: '*', kind: '*', id: '*' },
      { namespace: 'edge', kind: 'barbican', id: `https://b/v1/secrets/${SUBNET}` },
    ],
  });
});

test('every entry that is wrong is named', () => {
  expect(allowedReferences('shop/subnet/*,shop,a/b/c')).toMatchObject({ items: ['shop', 'a/b/c'] });
});

// prettier-ignore
test.each(['shop', 'shop/subnet', 'shop/subnet/', '/subnet/x', 'shop/Secret/x', 'shop/cow/x', 'a_b/subnet/x', 'shop/subnet/ab*'])('an entry that is %s is named, with what is allowed', async (entry) => {
  const refused = load({
    cloudConfigText: GLOBAL,
    reach: 'closed',
    allowedReferences: `shop/subnet/*,${entry}`,
  });
  await expect(refused).rejects.toThrow('--reach has a value that is not allowed: give one of open, allowed');
  await expect(refused).rejects.toThrow(
    '--allowed-references has a value that is not allowed (item 2): give NAMESPACE/KIND/ID, each of them or *, the kind one of loadbalancer,',
  );
});
