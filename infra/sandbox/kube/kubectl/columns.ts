import { asJson, asList, asText, scalarText, type Json } from '../../json.ts';
import type { KubeObject } from '../kube-objects.ts';

/** What a column shows of an object at a time in milliseconds since 1970. */
export type Cell = (object: KubeObject, now: number) => string | number;

/** Columns that `-o wide` alone shows. */
export const WIDE: readonly string[] = ['Selector', 'Internal-IP', 'Node', 'Source', 'Count'];

const NONE = '<none>';
const Name: Cell = ({ metadata }) => metadata.name;
const Age: Cell = ({ metadata }, now) => ageText(metadata.creationTimestamp, now);
const Data: Cell = ({ data, binaryData }) => Object.keys({ ...asJson(data), ...asJson(binaryData) }).length;
const list = (value: unknown): Json[] => asList(value).map(asJson);
const joined = (all: readonly string[], none = NONE): string =>
  all.filter((one) => one !== '').join(',') || none;

/** By the resource's plural, the columns in their order. */
export const columnsOf: Readonly<Record<string, Readonly<Record<string, Cell>>>> = {
  services: {
    Name,
    Type: ({ spec }) => asText(spec?.['type']),
    'Cluster-IP': ({ spec }) => asText(spec?.['clusterIP']) || NONE,
    'External-IP': externalAddresses,
    'Port(s)': ({ spec }) => joined(list(spec?.['ports']).map(portText)),
    Age,
    Selector: ({ spec }) => {
      const labels = Object.entries(asJson(spec?.['selector'])).sort();
      return joined(labels.map(([key, value]) => `${key}=${scalarText(value)}`));
    },
  },
  nodes: {
    Name,
    Status: nodeStatus,
    Age,
    Version: ({ status }) => asText(asJson(status?.['nodeInfo'])['kubeletVersion']),
    'Internal-IP': ({ status }) => {
      const internal = list(status?.['addresses']).filter(({ type }) => type === 'InternalIP');
      return joined(internal.map(({ address }) => asText(address)));
    },
  },
  events: {
    'Last Seen': (event, now) => ageText(event['lastTimestamp'] ?? event['eventTime'], now),
    Type: (event) => asText(event['type']),
    Reason: (event) => asText(event['reason']),
    Object: (event) => {
      const { kind, name } = asJson(event['involvedObject']);
      return `${asText(kind).toLowerCase()}/${asText(name)}`;
    },
    Source: (event) => asText(event['reportingComponent']) || asText(asJson(event['source'])['component']),
    Message: (event) => asText(event['message']).trim(),
    Count: (event) => Number(event['count'] ?? 1),
  },
  pods: {
    Name,
    Status: ({ status }) => asText(status?.['phase']),
    Age,
    Node: ({ spec }) => asText(spec?.['nodeName']) || NONE,
  },
  endpointslices: {
    Name,
    AddressType: (slice) => asText(slice['addressType']),
    Ports: (slice) =>
      joined(
        list(slice['ports']).map(({ port }) => scalarText(port)),
        '<unset>',
      ),
    Endpoints: (slice) => {
      const addresses = list(slice['endpoints']).flatMap((one) => asList(one['addresses']).map(asText));
      return joined(addresses, '<unset>');
    },
    Age,
  },
  namespaces: { Name, Status: ({ status }) => asText(status?.['phase']), Age },
  configmaps: { Name, Data, Age },
  secrets: { Name, Type: (secret) => asText(secret['type']), Data, Age },
  leases: { Name, Holder: ({ spec }) => asText(spec?.['holderIdentity']), Age },
};

function externalAddresses({ spec, status }: KubeObject): string {
  if (spec?.['type'] === 'ExternalName') return asText(spec['externalName']);
  const ingress = list(asJson(status?.['loadBalancer'])['ingress']);
  const own = ingress.map(({ ip, hostname }) => asText(ip) || asText(hostname));
  const all = [...own, ...asList(spec?.['externalIPs']).map(asText)];
  return joined(all, spec?.['type'] === 'LoadBalancer' ? '<pending>' : NONE);
}

const portText = ({ port, nodePort, protocol }: Json): string =>
  `${scalarText(port)}${nodePort ? `:${scalarText(nodePort)}` : ''}/${scalarText(protocol)}`;

function nodeStatus({ spec, status }: KubeObject): string {
  const ready = list(status?.['conditions']).find(({ type }) => type === 'Ready');
  const word = ready ? (ready['status'] === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return word + (spec?.['unschedulable'] === true ? ',SchedulingDisabled' : '');
}

/** How long ago, in one object: seconds up to two minutes, minutes up to three hours, hours up to two days. */
function ageText(since: unknown, now: number): string {
  const seconds = Math.max(0, now - Date.parse(asText(since))) / 1000;
  if (Number.isNaN(seconds)) return '<unknown>';
  if (seconds < 120) return `${Math.floor(seconds)}s`;
  if (seconds < 3 * 3600) return `${Math.floor(seconds / 60)}m`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
