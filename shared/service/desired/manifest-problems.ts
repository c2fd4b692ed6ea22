import type { Config } from '../../config/config.ts';
import { transportOf } from '../../model/address.ts';
import type { Service, ServicePort } from '../../model/kubernetes.ts';
import { goesToPods } from '../../model/load-balancer/service-endpoints.ts';
import type { Problem } from '../../model/plan.ts';
import { certificateQuestion } from '../intent/cloud-questions.ts';
import { protocolsOf } from '../intent/protocols.ts';
import { readIntent } from '../intent/service-intent.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { allowedRanges } from '../intent/source-ranges.ts';
import { desireInsertHeaders, desireRedirect } from './desire-http.ts';
import { loadBalancerIPProblems } from './desire-load-balancer.ts';
import { desireMonitor, localHealthPort } from './desire-monitor.ts';
import { desirePersistence } from './desire-port.ts';
import { desirePoolTls, desireTls } from './desire-tls.ts';
import type { TlsContext } from './desire-tls.ts';
import { secretsOf } from './served-secrets.ts';
import { uselessSettings } from './useless-settings.ts';

/**
 * The Problems that the manifest of a Service and the configuration show by themselves, in the words of a run, each once.
 * OpenStack and other objects of the cluster are taken for such as the Service wants them, so a run may find more.
 */
export function manifestProblems(service: Service, config: Config): readonly Problem[] {
  const intent = readIntent(service, config);
  const context = allFound(intent, config);
  const found = [...intent.problems, ...familyProblems(intent)];
  for (const [index, port] of (service.spec.ports ?? []).entries()) {
    found.push(...portProblems(port, index, intent, context));
  }
  found.push(...uselessSettings(intent));
  return [...new Map(found.map((one) => [`${one.field}\n${one.value}\n${one.message}`, one])).values()];
}

/** A manifest that names no family gets one from the apiserver, so its ranges and its address may be of either. */
function familyProblems({ service, ranges, families }: ServiceIntent): readonly Problem[] {
  const may = (service.spec.ipFamilies ?? []).length > 0 ? families : ([4, 6] as const);
  return [...allowedRanges(ranges, may).problems, ...loadBalancerIPProblems(service, may)];
}

/** All certificates and Secrets that the Service names, as if they were there and good. */
function allFound(intent: ServiceIntent, config: Config): TlsContext {
  const { references } = certificateQuestion(intent, config);
  return {
    store: config.loadBalancer.containerStore,
    certificates: { references: new Map(references.map(({ id }) => [id, { ref: id }])) },
    secrets: new Map(secretsOf(intent).map((name) => [name, { fingerprint: '' }])),
  };
}

function portProblems(
  port: ServicePort,
  index: number,
  intent: ServiceIntent,
  context: TlsContext,
): readonly Problem[] {
  const { annotated, service } = intent;
  const portIntent = annotated.ports[index];
  if (!portIntent) return [];
  const protocols = protocolsOf(port, portIntent);
  const { listener: protocol, pool } = protocols;
  const at = `${transportOf(protocol)}/${port.port}`;
  const { hostname } = annotated.Service;
  const redirect = { protocol, portIntent, hostname, at, index, lbName: '', cluster: { id: '', name: '' } };
  const transport = port.protocol ?? 'TCP';
  const local = goesToPods(service, port) ? undefined : localHealthPort(intent);
  const isChecked = portIntent.ServicePort.monitor === true || local !== undefined;
  const ofPool = pool && [
    ...(isChecked ? desireMonitor(transport, at, '', portIntent, local).problems : []),
    ...(transport === 'TCP' && portIntent.pool.tls_enabled
      ? desirePoolTls(portIntent, context).problems
      : []),
    ...desirePersistence(protocol, at, service, portIntent).problems,
  ];
  return [
    ...(ofPool ?? []),
    ...desireInsertHeaders(protocols, index, portIntent).problems,
    ...desireTls(protocol, index, portIntent, context).problems,
    ...desireRedirect(redirect).problems,
  ];
}
