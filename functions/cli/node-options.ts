import { Option } from 'commander';

/** Flags of Nodes, their CIDRs and routes. A flag that the Go programs have has the same name here. */
const NODES = [
  [
    '--shutdown-states <list>',
    'of servers that count as shut down: SHUTOFF, SHELVED_OFFLOADED, SUSPENDED (default: SHUTOFF)',
  ],
  [
    '--node-name-from <what>',
    'of a server, which is its Node by that: name, hostname or first-label (default: name)',
  ],
  [
    '--node-deletion-share <percent>',
    'of all Nodes, how many may be deleted in an hour; 0% for none (default: 10%)',
  ],
  ['--cluster-cidr <cidrs>', 'where pods have their addresses: one CIDR, or one of each family'],
  [
    '--configure-cloud-routes <bool>',
    'routes to the pods on [Route] router-id, if there is a --cluster-cidr (default: true)',
  ],
  [
    '--discover-router <bool>',
    'without [Route] router-id, the one router on the subnets of the Nodes has the routes (default: false)',
  ],
  ['--allocate-node-cidrs <bool>', 'give each Node its part of --cluster-cidr (default: false)'],
  ['--node-cidr-mask-size <number>', 'how much of it, when it is one CIDR'],
  ['--node-cidr-mask-size-ipv4 <number>', 'how much of its IPv4 part (default: 24)'],
  ['--node-cidr-mask-size-ipv6 <number>', 'how much of its IPv6 part (default: 64)'],
  ['--service-cluster-ip-range <cidrs>', 'addresses of Services: no Node gets a part of it'],
] as const;

export function nodeOptions(): readonly Option[] {
  const controllers = new Option(
    '--controllers <list>',
    'service-lb-controller, cloud-node-controller, cloud-node-lifecycle-controller, node-route-controller; * for all, a - before what is off (default: *)',
  );
  // as in the Go program, given twice is given once with a comma
  controllers.argParser((value, before?: string) => (before === undefined ? value : `${before},${value}`));
  return [controllers, ...NODES.map(([flags, description]) => new Option(flags, description))];
}
