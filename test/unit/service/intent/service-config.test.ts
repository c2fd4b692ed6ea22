import { expect, test } from 'vitest';
import type { LoadBalancerConfig } from '../../../../shared/config/config.ts';
import { fieldOf } from '../../../../shared/service/intent/effective-values.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const OCCM = 'loadbalancer.openstack.org/';
const ID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const CLASSES = {
  internet: { floatingNetworkId: 'class-network', floatingSubnet: 'public-*' },
  dmz: { subnetId: 'class-subnet', memberSubnetId: 'class-members' },
  empty: {},
};

type Annotations = Readonly<Record<string, string>>;

function intentOf(annotations: Annotations, general: Partial<LoadBalancerConfig>, given: string[] = []) {
  const config = { ...aConfig(undefined, general), loadBalancerClasses: CLASSES, given };
  const named = Object.entries(annotations).map(([name, text]) => [OCCM + name, text] as const);
  return readIntent(aStoredService({ annotations: Object.fromEntries(named) }), config);
}

/** The places that count for a Service, and its Problems. */
function read(annotations: Annotations, general: Partial<LoadBalancerConfig>) {
  const { annotated, problems } = intentOf(annotations, general);
  const { loadbalancer, floatingip, Service } = annotated;
  const places = {
    ...{ subnetId: loadbalancer.vip_subnet_id, networkId: loadbalancer.vip_network_id },
    ...{ memberSubnetId: Service.memberSubnetId, floatingNetworkId: floatingip.floating_network_id },
    ...{ floatingSubnetId: floatingip.subnet_id, floatingSubnet: Service.floatingSubnet },
    floatingSubnetTags: Service.floatingSubnetTags,
  };
  return { places, problems };
}

const FLOATING = { floatingNetworkId: 'network', floatingSubnetId: 'subnet', floatingSubnetTags: 'a' };
const VIP = { subnetId: 's', networkId: 'n', memberSubnetId: 'm' };

// prettier-ignore
test.each<[string, Annotations, Partial<LoadBalancerConfig>, object]>([
  ['the class comes before what cloud.conf says in general', { class: ' internet ' }, { floatingNetworkId: 'network', subnetId: 's' }, { ...CLASSES.internet, subnetId: 's' }],
  ['it says all of what chooses a floating subnet when it says any of it', { class: 'internet' }, FLOATING, CLASSES.internet],
  ['and of where the VIP is', { class: 'dmz' }, { networkId: 'network' }, CLASSES.dmz],
  ['it leaves the rest as it is', { class: 'empty' }, FLOATING, FLOATING],
  ['without a class all is as it is', {}, FLOATING, FLOATING],
  ['an annotation comes before the class, and for all of what it says a part of', { class: 'internet', 'floating-subnet-tags': 'b' }, FLOATING, { floatingNetworkId: 'class-network', floatingSubnetTags: 'b' }],
  ['subnet-id says all of where the VIP is', { 'subnet-id': ID }, VIP, { memberSubnetId: 'm', subnetId: ID }],
  ['network-id says all of where the VIP is', { 'network-id': ID }, VIP, { memberSubnetId: 'm', networkId: ID }],
  ['port-id says all of where the VIP is', { 'port-id': ID }, VIP, { memberSubnetId: 'm' }],
  ...['subnet-id', 'network-id', 'port-id'].map((name): [string, Annotations, Partial<LoadBalancerConfig>, object] =>
    [`${name} says none of it where it is empty`, { [name]: '' }, VIP, { memberSubnetId: 'm' }]),
  ['an empty floating-subnet-id says none of the choice', { 'floating-subnet-id': '' }, FLOATING, { floatingNetworkId: 'network' }],
  ...['class', 'floating-subnet', 'floating-subnet-tags'].flatMap((name) => ['', ' '].map((text): [string, Annotations, Partial<LoadBalancerConfig>, object] =>
    [`${name} that is "${text}" says nothing, as a chart renders it`, { [name]: text }, FLOATING, FLOATING])),
])('%s', (_, annotations, general, places) => {
  expect(read(annotations, general)).toEqual({ places, problems: [] });
});

test.each(['Internet', 'toString'])('a class %j stops the unit, and says which there are', (value) => {
  const message =
    'is not a [LoadBalancerClass "..."] of cloud.conf, which has dmz, empty, internet; until it is, the Service is blocked';
  const problem = { field: `${OCCM}class`, value, message, blocking: true };
  expect(read({ class: value }, FLOATING)).toEqual({ places: FLOATING, problems: [problem] });
});

// prettier-ignore
test.each<[string, Annotations, string[]]>([
  [`${OCCM}floating-subnet`, { 'floating-subnet': 'b' }, []],
  ['class internet floating-subnet', { class: 'internet' }, ['floatingSubnet']],
  ['cloud.conf floating-subnet', {}, ['floatingSubnet']],
])('a mistake of %s is named there', (field, annotations, given) => {
  const intent = intentOf(annotations, { floatingSubnet: 'a' }, given);
  expect(fieldOf(`${OCCM}floating-subnet`, intent)).toBe(field);
});
