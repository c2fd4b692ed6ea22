/** What a test against the lab imports; one line here for each thing there is. */
export { startAuditSink, type AuditEvent, type AuditSink } from './audit-sink.ts';
export { countCalls, writes, type ApiCall } from './calls.ts';
export { writeCloudConfig } from './cloud-config.ts';
export { lab, labResources, needsControl, type Environment } from './environment.ts';
export * from './kubelet.ts';
export * from './kubernetes.ts';
export { leftovers, nothingLeft } from './leftovers.ts';
export * from './levelset.ts';
export * from './nodes.ts';
export * from './openstack.ts';
export * from './servers.ts';
export * from './service-state.ts';
export * from './traffic.ts';
export { until, type UntilOptions } from './until.ts';
