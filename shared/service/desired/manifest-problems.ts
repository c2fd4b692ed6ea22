import type { Config } from '../../config/config.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Problem } from '../../model/plan.ts';
import { readIntent, type ServiceIntent } from '../intent/service-intent.ts';
import { allowedRanges } from '../intent/source-ranges.ts';
import { certificateQuestion, secretsOf } from './certificates.ts';
import { loadBalancerIPProblems } from './desire-load-balancer.ts';
import { desirePort } from './desire-port.ts';
import { uselessSettings } from './within-capabilities.ts';

/**
 * The Problems that the manifest of a Service and the configuration show by themselves, in the words of a run, each once.
 * OpenStack and other objects of the cluster are taken for such as the Service wants them, so a run may find more.
 */
export function manifestProblems(service: Service, config: Config): readonly Problem[] {
  const intent = readIntent(service, config);
  const { references } = certificateQuestion(intent, config);
  const allFound = {
    intent,
    cluster: { id: '', name: '' },
    store: config.loadBalancer.containerStore,
    certificates: { references: new Map(references.map(({ id }) => [id, { ref: id }])) },
    secrets: new Map(secretsOf(intent).map((name) => [name, { fingerprint: '' }])),
  };
  const found = [
    ...intent.problems,
    ...familyProblems(intent),
    ...intent.ports.flatMap((port) => desirePort(port, { members: [], problems: [] }, allFound).problems),
    ...uselessSettings(intent),
  ];
  return [...new Map(found.map((one) => [`${one.field}\n${one.value}\n${one.message}`, one])).values()];
}

/** A manifest that names no family gets one from the apiserver, so its ranges and its address may be of either. */
function familyProblems({ service, ranges, families }: ServiceIntent): readonly Problem[] {
  const may = (service.spec.ipFamilies ?? []).length > 0 ? families : ([4, 6] as const);
  return [...allowedRanges(ranges, may).problems, ...loadBalancerIPProblems(service, may)];
}
