import { table, type Case } from './table.ts';
import { L, peerWorld } from './world.ts';

const ports = (port: number, more: object = {}) => ({ ports: [{ name: 'main', port, ...more }] });
const it = peerWorld();
const join = (name: string, port: number, more: object = {}) => {
  const [lb] = it.cloud.loadbalancers;
  return it.make(ports(port, more), { name, annotations: { [`${L}load-balancer-id`]: lb?.id ?? '' } });
};
type Step = () => Promise<unknown>;
/** Whose tags the load balancer has, who of them is served at its address, what is open, how many floating IPs there are. */
const shared = async (step: Step) => {
  await step();
  const { loadbalancers, floatingips } = it.cloud;
  const tags = loadbalancers.flatMap((lb) => lb.tags);
  const names = tags.flatMap((one) => /^kube_service_kubernetes_default_(.*)$/.exec(one)?.[1] ?? []).sort();
  const served = names.filter((name) => it.isReady(name) && it.ip(name) === floatingips[0]?.floating_ip_address); // prettier-ignore
  return [names.join(), served.join(), it.open(), floatingips.length];
};
const ALONE = ['one', 'one', 'TCP 7080', 1] as const;
const BOTH = ['one,three', 'one,three', 'TCP 7080, TCP 7083', 1] as const;
table('one load balancer of several Services, step by step', shared, [
  ['one makes it', () => it.make(ports(7080), { name: 'one' }), ALONE],
  ['two joins', () => join('two', 7081), ['one,two', 'one,two', 'TCP 7080, TCP 7081', 1]],
  ['two is looked at again', () => it.settle('two'), ['one,two', 'one,two', 'TCP 7080, TCP 7081', 1]],
  ['two changes its port', () => it.edit(ports(7082), { name: 'two' }), ['one,two', 'one,two', 'TCP 7080, TCP 7082', 1]],
  ['two goes', () => it.remove('two'), ALONE],
  ['five wants the port of the owner', () => join('five', 7080), ALONE, 19, ['five,one', 'one', 'TCP 7080', 1]],
  ['five goes', () => it.remove('five'), ALONE],
  ['six has that number by UDP', () => join('six', 7080, { protocol: 'UDP' }), ['one,six', 'one,six', 'TCP 7080, UDP 7080', 1]],
  ['six goes', () => it.remove('six'), ALONE],
  ['three joins', () => join('three', 7083), BOTH],
  ['four wants its port', () => join('four', 7083), BOTH],
  ['four goes', () => it.remove('four'), BOTH],
  ['the owner goes', () => it.remove('one'), ['three', 'three', 'TCP 7083', 1]],
  ['the last goes', () => it.remove('three'), ['', '', '', 0]],
] as readonly Case<Step, readonly (string | number)[]>[]); // prettier-ignore
