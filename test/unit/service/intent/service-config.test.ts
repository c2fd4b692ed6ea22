import { describe, expect, test } from 'vitest';
import type { LoadBalancerConfig } from '../../../../shared/config/config.ts';
import { configOf } from '../../../../shared/service/intent/service-config.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const OCCM = 'loadbalancer.openstack.org/';
const CLASSES = {
  internet: { floatingNetworkId: 'class-network', floatingSubnet: 'public-*' },
  dmz: { subnetId: 'class-subnet', memberSubnetId: 'class-members' },
  empty: {},
};

function read(annotations: Readonly<Record<string, string>>, general: Partial<LoadBalancerConfig>) {
  const config = { ...aConfig(undefined, general), loadBalancerClasses: CLASSES };
  const named = Object.entries(annotations).map(([name, text]) => [OCCM + name, text] as const);
  return configOf(aStoredService({ annotations: Object.fromEntries(named) }), config);
}

const FLOATING = { floatingNetworkId: 'network', floatingSubnetId: 'subnet', floatingSubnetTags: 'a' };

describe('the class of a Service', () => {
  test('comes before what cloud.conf says in general', () => {
    const { config, problems } = read(
      { class: ' internet ' },
      { floatingNetworkId: 'network', subnetId: 's' },
    );
    expect(problems).toEqual([]);
    expect(config.loadBalancer).toMatchObject({
      floatingNetworkId: 'class-network',
      floatingSubnet: 'public-*',
      subnetId: 's',
    });
  });

  test('says all of what chooses a floating subnet when it says any of it', () => {
    const { loadBalancer } = read({ class: 'internet' }, FLOATING).config;
    expect(loadBalancer).not.toHaveProperty('floatingSubnetId');
    expect(loadBalancer).not.toHaveProperty('floatingSubnetTags');
  });

  test('and of where the VIP is', () => {
    const { loadBalancer } = read({ class: 'dmz' }, { networkId: 'network' }).config;
    expect(loadBalancer).toMatchObject({ subnetId: 'class-subnet', memberSubnetId: 'class-members' });
    expect(loadBalancer).not.toHaveProperty('networkId');
  });

  test('leaves the rest as it is', () => {
    expect(read({ class: 'empty' }, FLOATING).config.loadBalancer).toMatchObject(FLOATING);
    expect(read({}, FLOATING).config.loadBalancer).toMatchObject(FLOATING);
  });

  test('is none where it is empty, as a chart renders it', () => {
    for (const name of ['', ' ']) expect(read({ class: name }, FLOATING)).toEqual(read({}, FLOATING));
  });

  test.each(['Internet', 'toString'])('stops the unit when it is %j, and says which there are', (name) => {
    const { config, problems } = read({ class: name }, FLOATING);
    expect(config.loadBalancer).toMatchObject(FLOATING);
    expect(problems).toEqual([
      {
        field: `${OCCM}class`,
        value: name,
        message:
          'is no [LoadBalancerClass "..."] of cloud.conf, which has dmz, empty, internet; levelset changes nothing until it is',
        blocking: true,
      },
    ]);
  });
});

describe('an annotation of the Service', () => {
  test('comes before its class, and for all of what it says a part of', () => {
    const { loadBalancer } = read({ class: 'internet', 'floating-subnet-tags': 'b' }, FLOATING).config;
    expect(loadBalancer).toMatchObject({ floatingNetworkId: 'class-network' });
    for (const field of ['floatingSubnet', 'floatingSubnetId', 'floatingSubnetTags'])
      expect(loadBalancer).not.toHaveProperty(field);
  });

  test.each(['floating-subnet', 'floating-subnet-tags'])(
    'that is empty says nothing of it: %s, as a chart renders it',
    (name) => {
      for (const text of ['', ' ']) expect(read({ [name]: text }, FLOATING)).toEqual(read({}, FLOATING));
    },
  );

  test.each(['subnet-id', 'network-id', 'port-id', 'floating-subnet-id'])(
    'that is empty says none of it: %s',
    (name) => {
      const config = { subnetId: 's', networkId: 'n', ...FLOATING };
      expect(read({ [name]: '' }, config).config.loadBalancer).not.toMatchObject(config);
    },
  );

  test.each(['subnet-id', 'network-id', 'port-id'])('so with %s', (name) => {
    const { loadBalancer } = read(
      { [name]: 'x' },
      { subnetId: 's', networkId: 'n', memberSubnetId: 'm' },
    ).config;
    expect(loadBalancer).toMatchObject({ memberSubnetId: 'm' });
    expect(loadBalancer).not.toHaveProperty('subnetId');
    expect(loadBalancer).not.toHaveProperty('networkId');
  });
});
