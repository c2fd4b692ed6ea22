import { expect, test } from 'vitest';
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
const VIP = { subnetId: 's', networkId: 'n', memberSubnetId: 'm' };
const FLOATING_SUBNET = ['floatingSubnet', 'floatingSubnetId', 'floatingSubnetTags'];

// prettier-ignore
test.each<[string, Readonly<Record<string, string>>, Partial<LoadBalancerConfig>, has: object, lacks?: readonly string[]]>([
  ['the class comes before what cloud.conf says in general', { class: ' internet ' }, { floatingNetworkId: 'network', subnetId: 's' }, { floatingNetworkId: 'class-network', floatingSubnet: 'public-*', subnetId: 's' }],
  ['it says all of what chooses a floating subnet when it says any of it', { class: 'internet' }, FLOATING, {}, ['floatingSubnetId', 'floatingSubnetTags']],
  ['and of where the VIP is', { class: 'dmz' }, { networkId: 'network' }, { subnetId: 'class-subnet', memberSubnetId: 'class-members' }, ['networkId']],
  ['it leaves the rest as it is', { class: 'empty' }, FLOATING, FLOATING],
  ['without a class all is as it is', {}, FLOATING, FLOATING],
  ['an annotation comes before the class, and for all of what it says a part of', { class: 'internet', 'floating-subnet-tags': 'b' }, FLOATING, { floatingNetworkId: 'class-network' }, FLOATING_SUBNET],
  ...['subnet-id', 'network-id', 'port-id'].flatMap((name): [string, Readonly<Record<string, string>>, Partial<LoadBalancerConfig>, object, string[]][] => [
    [`${name} says all of where the VIP is`, { [name]: 'x' }, VIP, { memberSubnetId: 'm' }, ['subnetId', 'networkId']],
    [`${name} says none of it where it is empty`, { [name]: '' }, VIP, { memberSubnetId: 'm' }, ['subnetId', 'networkId']],
  ]),
  ['an empty floating-subnet-id says none of the choice', { 'floating-subnet-id': '' }, FLOATING, { floatingNetworkId: 'network' }, FLOATING_SUBNET],
])('%s', (_, annotations, general, has, lacks = []) => {
  const { config, problems } = read(annotations, general);
  expect(problems).toEqual([]);
  expect(config.loadBalancer).toMatchObject(has);
  expect(lacks.filter((field) => field in config.loadBalancer)).toEqual([]);
});

test.each(['class', 'floating-subnet', 'floating-subnet-tags'])(
  'an empty %s says nothing, as a chart renders it',
  (name) => {
    for (const text of ['', ' ']) expect(read({ [name]: text }, FLOATING)).toEqual(read({}, FLOATING));
  },
);

test.each(['Internet', 'toString'])('a class %j stops the unit, and says which there are', (value) => {
  const { config, problems } = read({ class: value }, FLOATING);
  expect(config.loadBalancer).toMatchObject(FLOATING);
  const message =
    'is not a [LoadBalancerClass "..."] of cloud.conf, which has dmz, empty, internet; until it is, the Service is blocked';
  expect(problems).toEqual([{ field: `${OCCM}class`, value, message, blocking: true }]);
});
