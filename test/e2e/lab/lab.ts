/** What a test against the lab imports; one line here for each thing there is. */
export { startAuditSink } from '../fixtures/audit-sink.ts';
export { countCalls, writes, type ApiCall } from './calls.ts';
export { writeCloudConfig } from './cloud-config.ts';
export { lab, labResources, NAMESPACE, ownPort } from './environment.ts';
export * from '../fixtures/kubelet.ts';
export * from './kubernetes.ts';
export { deleteLoadBalancer, settled } from './load-balancer-waits.ts';
export { leftovers, nothingLeft } from './leftovers.ts';
export * from './levelset.ts';
export * from '../fixtures/nodes.ts';
export * from './openstack.ts';
export * from '../fixtures/servers.ts';
export * from './service-state.ts';
export * from '../fixtures/traffic.ts';
export { until, type UntilOptions } from './until.ts';
