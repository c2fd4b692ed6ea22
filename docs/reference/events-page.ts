import { tableOf } from '../markdown-table.ts';

const HEAD = `# Events and conditions

Look up what levelset writes to Services and Nodes. It takes the reasons of Kubernetes' own controllers, where they have one. The component of
Events is \`levelset\`, of routes \`route_controller\`. The condition is \`levelset.openstack.org/Ready\`, of routes \`NetworkUnavailable\`. An Event
follows whenever reason or message of the condition changes. [Troubleshooting](../troubleshooting.md#condition-and-events) says what to do about each.

Written by \`npm run generate\` from \`docs/reference/events-page.ts\`.
`;

interface Reason {
  readonly of: 'Service' | 'Node' | 'Node, of routes';
  /** Where the reason stands. `blocked` is told by the Event SyncLoadBalancerFailed. */
  readonly as: 'condition, Event' | 'condition' | 'Event';
  readonly type: string;
  readonly means: string;
}

// prettier-ignore
export const REASONS: Readonly<Record<string, Reason>> = {
  EnsuringLoadBalancer:    { of: 'Service', as: 'condition, Event', type: 'Normal', means: 'levelset waits, usually for Octavia' },
  EnsuredLoadBalancer:     { of: 'Service', as: 'condition, Event', type: 'Normal; Warning with notes', means: 'the load balancer serves; further lines name what levelset did not apply' },
  UnAvailableLoadBalancer: { of: 'Service', as: 'condition, Event', type: 'Warning', means: 'no Node can be a member; pools keep those they have' },
  LoadBalancerBlocked:     { of: 'Service', as: 'condition', type: 'Warning', means: 'levelset changes nothing but members until the cause is gone; the Event is `SyncLoadBalancerFailed`' },
  SyncLoadBalancerFailed:  { of: 'Service', as: 'condition, Event', type: 'Warning', means: 'the last run failed, or (Event) the Service is blocked; the message ends in advice' },
  Released:                   { of: 'Service', as: 'condition, Event', type: 'Warning', means: '`--load-balancer-class` has changed, and this Service is not levelset\'s any more' },
  TakenOver:               { of: 'Service', as: 'condition, Event', type: 'Warning', means: 'the same, and another controller has written the address since' },
  UpdatedLoadBalancer:     { of: 'Service', as: 'Event', type: 'Normal', means: 'levelset changed a load balancer that serves, and how' },
  DeletingLoadBalancer:    { of: 'Service', as: 'condition, Event', type: 'Normal', means: 'levelset takes the load balancer away' },
  DeletedLoadBalancer:     { of: 'Service', as: 'Event', type: 'Normal', means: 'nothing is left in OpenStack' },
  DriftRepaired:           { of: 'Service', as: 'Event', type: 'Warning', means: 'somebody changed in OpenStack what the Service asks for; levelset undoes it' },
  DriftReported:           { of: 'Service', as: 'Event', type: 'Warning', means: 'the same, and levelset only adds what is missing' },
  Synced:                  { of: 'Node', as: 'condition, Event', type: 'Normal', means: 'the Node matches its server, or is initialised' },
  NodeBlocked:             { of: 'Node', as: 'condition', type: 'Warning', means: 'levelset cannot tell which server is the Node\'s, or may not act; the Event is `SyncNodeFailed`' },
  SyncNodeFailed:          { of: 'Node', as: 'condition, Event', type: 'Warning', means: 'the last run failed; the message ends in advice' },
  DeletingNode:            { of: 'Node', as: 'Event', type: 'Normal', means: 'the server of the Node is gone, and levelset deletes the Node' },
  RouteCreated:            { of: 'Node, of routes', as: 'condition', type: '', means: 'the route to the Pods of the Node is there' },
  NoRouteCreated:          { of: 'Node, of routes', as: 'condition', type: '', means: 'the route is not there' },
  FailedToCreateRoute:     { of: 'Node, of routes', as: 'Event', type: 'Warning', means: 'why levelset could not make the route' },
};

/** The whole page. */
export function eventsPage(): string {
  const rows = Object.entries(REASONS).map(([reason, { of, as, type, means }]) => [
    `\`${reason}\``,
    of,
    as,
    type,
    means,
  ]);
  return [HEAD, ...tableOf(['reason', 'at', 'as', 'type', 'means'], rows), ''].join('\n');
}
