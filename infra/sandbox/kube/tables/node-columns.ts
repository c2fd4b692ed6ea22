import { asJson, asList, asText } from '../../json.ts';
import type { KubeObject } from '../kube-objects.ts';
import type { Column } from './column.ts';

const ROLE = 'node-role.kubernetes.io/';

const info =
  (field: string) =>
  ({ status }: KubeObject): string =>
    asText(asJson(status?.['nodeInfo'])[field]) || '<unknown>';

const address =
  (type: string) =>
  ({ status }: KubeObject): string => {
    const of = asList(status?.['addresses']).map(asJson);
    return asText(of.find((one) => one['type'] === type)?.['address']) || '<none>';
  };

/** The columns of a Node but the name, with the common one for the age in its place. */
export const nodeColumns = (age: Column): readonly Column[] => [
  { name: 'Status', description: 'Whether the Node is ready', cell: statusOf },
  { name: 'Roles', description: 'The roles that the labels name', cell: rolesOf },
  age,
  {
    name: 'Version',
    description: 'The version of the kubelet',
    cell: ({ status }) => asText(asJson(status?.['nodeInfo'])['kubeletVersion']),
  },
  { name: 'Internal-IP', description: 'The address in the cluster', wide: true, cell: address('InternalIP') },
  { name: 'External-IP', description: 'The address outside', wide: true, cell: address('ExternalIP') },
  { name: 'OS-Image', description: 'The operating system', wide: true, cell: info('osImage') },
  { name: 'Kernel-Version', description: 'The kernel', wide: true, cell: info('kernelVersion') },
  {
    name: 'Container-Runtime',
    description: 'What runs the containers',
    wide: true,
    cell: info('containerRuntimeVersion'),
  },
];

function statusOf({ spec, status }: KubeObject): string {
  const conditions = asList(status?.['conditions']).map(asJson);
  const ready = conditions.find((one) => one['type'] === 'Ready');
  const words = [ready ? (ready['status'] === 'True' ? 'Ready' : 'NotReady') : 'Unknown'];
  if (spec?.['unschedulable'] === true) words.push('SchedulingDisabled');
  return words.join(',');
}

function rolesOf({ metadata }: KubeObject): string {
  const labels = Object.entries(metadata.labels ?? {});
  const roles = labels.flatMap(([key, value]) => {
    if (key.startsWith(ROLE)) return key.slice(ROLE.length);
    return key === 'kubernetes.io/role' ? value : [];
  });
  return (
    roles
      .filter((role) => role !== '')
      .sort()
      .join(',') || '<none>'
  );
}
