import { asJson, asList, asText, scalarText } from '../../json.ts';
import type { KubeObject } from '../kube-objects.ts';
import { ageText } from './age.ts';
import type { Column } from './column.ts';
import { nodeColumns } from './node-columns.ts';

const NONE = '<none>';
const name: Column = {
  name: 'Name',
  description: 'The name of the object',
  cell: ({ metadata }) => metadata.name,
};
const age: Column = {
  name: 'Age',
  description: 'The time since the object was created',
  cell: ({ metadata }, now) => ageText(metadata.creationTimestamp, now),
};
const counted = (object: KubeObject, ...fields: readonly string[]): number =>
  fields.reduce((sum, field) => sum + Object.keys(asJson(object[field])).length, 0);

const services: readonly Column[] = [
  name,
  { name: 'Type', description: 'How the Service is exposed', cell: ({ spec }) => asText(spec?.['type']) },
  {
    name: 'Cluster-IP',
    description: 'The first address of the Service in the cluster',
    cell: ({ spec }) => asText(asList(spec?.['clusterIPs'])[0]) || NONE,
  },
  { name: 'External-IP', description: 'The addresses of the load balancer', cell: externalAddresses },
  { name: 'Port(s)', description: 'Ports, each with its node port', cell: portsOfService },
  age,
  {
    name: 'Selector',
    description: 'The labels of the Pods',
    wide: true,
    cell: ({ spec }) => {
      const pairs = Object.entries(asJson(spec?.['selector'])).sort(([one], [other]) =>
        one < other ? -1 : 1,
      );
      return pairs.map(([key, value]) => `${key}=${scalarText(value)}`).join(',') || NONE;
    },
  },
];

function externalAddresses({ spec = {}, status }: KubeObject): string {
  const extra = asList(spec['externalIPs']).map(asText);
  if (spec['type'] === 'ExternalName') return asText(spec['externalName']);
  if (spec['type'] !== 'LoadBalancer') return extra.join(',') || NONE;
  const ingress = asList(asJson(status?.['loadBalancer'])['ingress']).map(asJson);
  const own = ingress.map((one) => asText(one['ip']) || asText(one['hostname']));
  return [...new Set(own), ...extra].filter((one) => one !== '').join(',') || '<pending>';
}

function portsOfService({ spec }: KubeObject): string {
  const shown = asList(spec?.['ports']).map((one) => {
    const { port, nodePort, protocol } = asJson(one);
    return `${scalarText(port)}${nodePort ? `:${scalarText(nodePort)}` : ''}/${scalarText(protocol)}`;
  });
  return shown.join(',') || NONE;
}

const events: readonly Column[] = [
  { name: 'Last Seen', description: 'When it happened last', cell: (event, now) => seen(event, now).last },
  { name: 'Type', description: 'Normal or Warning', cell: (event) => asText(event['type']) },
  { name: 'Reason', description: 'Why, in one word', cell: (event) => asText(event['reason']) },
  { name: 'Object', description: 'The object that the event is about', cell: objectOf },
  {
    name: 'Subobject',
    description: 'The part of the object',
    wide: true,
    cell: (event) => asText(asJson(event['involvedObject'])['fieldPath']),
  },
  {
    name: 'Source',
    description: 'Who reports the event',
    wide: true,
    cell: (event) => {
      const { component, host } = asJson(event['source']);
      const parts = [component ?? event['reportingComponent'], host ?? event['reportingInstance']];
      return parts.map(asText).filter(Boolean).join(', ');
    },
  },
  { name: 'Message', description: 'What happened', cell: (event) => asText(event['message']).trim() },
  {
    name: 'First Seen',
    description: 'When it happened first',
    wide: true,
    cell: (event, now) => seen(event, now).first,
  },
  {
    name: 'Count',
    description: 'How often it happened',
    wide: true,
    cell: (event) => Number(asJson(event['series'])['count'] ?? event['count'] ?? 0) || 1,
  },
  { ...name, wide: true },
];

function seen(event: KubeObject, now: number): { readonly first: string; readonly last: string } {
  const first = ageText(event['firstTimestamp'] ?? event['eventTime'], now);
  const last = asJson(event['series'])['lastObservedTime'] ?? event['lastTimestamp'];
  return { first, last: last === undefined || last === null ? first : ageText(last, now) };
}

function objectOf(event: KubeObject): string {
  const about = asJson(event['involvedObject']);
  return [asText(about['kind']).toLowerCase(), asText(about['name'])].filter(Boolean).join('/');
}

const endpointSlices: readonly Column[] = [
  name,
  { name: 'AddressType', description: 'IPv4, IPv6 or FQDN', cell: (slice) => asText(slice['addressType']) },
  {
    name: 'Ports',
    description: 'The ports of the endpoints',
    cell: (slice) => firstThree(asList(slice['ports']).map((one) => scalarText(asJson(one)['port']))),
  },
  {
    name: 'Endpoints',
    description: 'The addresses of the endpoints',
    cell: (slice) =>
      firstThree(asList(slice['endpoints']).flatMap((one) => asList(asJson(one)['addresses']).map(asText))),
  },
  age,
];

function firstThree(all: readonly string[]): string {
  if (all.length === 0) return '<unset>';
  const more = all.length > 3 ? ` + ${all.length - 3} more...` : '';
  return all.slice(0, 3).join(',') + more;
}

const pods: readonly Column[] = [
  name,
  {
    name: 'Ready',
    description: 'Containers that are ready, of all',
    cell: ({ spec, status }) => {
      const ready = asList(status?.['containerStatuses']).filter((one) => asJson(one)['ready'] === true);
      return `${ready.length}/${asList(spec?.['containers']).length}`;
    },
  },
  { name: 'Status', description: 'The phase', cell: ({ status }) => asText(status?.['phase']) },
  { name: 'Restarts', description: 'How often containers restarted', cell: () => '0' },
  age,
  {
    name: 'IP',
    description: 'The address',
    wide: true,
    cell: ({ status }) => asText(status?.['podIP']) || NONE,
  },
  {
    name: 'Node',
    description: 'Where it runs',
    wide: true,
    cell: ({ spec }) => asText(spec?.['nodeName']) || NONE,
  },
  { name: 'Nominated Node', description: 'Where it is to run', wide: true, cell: () => NONE },
  { name: 'Readiness Gates', description: 'Conditions of others', wide: true, cell: () => NONE },
];

const data = (cell: Column['cell']): Column => ({ name: 'Data', description: 'How many keys', cell });
const status = (cell: Column['cell']): Column => ({ name: 'Status', description: 'The phase', cell });
const holder = ({ spec }: KubeObject): string => asText(spec?.['holderIdentity']);

/** By the resource's plural. */
export const columnsOf: Readonly<Record<string, readonly Column[]>> = {
  services,
  events,
  pods,
  endpointslices: endpointSlices,
  nodes: [name, ...nodeColumns(age)],
  namespaces: [name, status((space) => asText(space.status?.['phase'])), age],
  configmaps: [name, data((map) => counted(map, 'data', 'binaryData')), age],
  secrets: [
    name,
    { name: 'Type', description: 'What the data is', cell: (secret) => asText(secret['type']) },
    data((secret) => counted(secret, 'data')),
    age,
  ],
  leases: [name, { name: 'Holder', description: 'Who holds it', cell: holder }, age],
};
