/** What a sweep does about Services that were let go (decision 150). */
import type { Config } from '../config/config.ts';
import type { Service } from '../model/kubernetes.ts';
import { FINALIZER, LOAD_BALANCER_ADDRESS } from '../model/ownership.ts';
import { LET_GO_REASON, TAKEN_OVER_REASON } from '../model/unit.ts';
import { readyCondition } from '../report/condition.ts';
import { isLeaving, whyLetGo } from './unit.ts';

/** Whether a Service that was let go has the approval to delete what it has, or does not say yet how to give it. */
export function isNotTold(service: Service, config: Config): boolean {
  const letGo = whyLetGo(service, config);
  if (!letGo?.approval || letGo.isApproved) return true;
  const told = readyCondition(service.status?.conditions);
  const reason = letGo.takenOver ? TAKEN_OVER_REASON : LET_GO_REASON;
  // a list does not say who writes an object, so whether levelset finishes a Service that leaves is for its run to find out
  const words = [letGo.approval, ...(letGo.keepsFinalizer && isLeaving(service) ? [FINALIZER] : [])];
  const isTold = told?.reason === reason && words.every((word) => told.message.includes(word));
  return !isTold || (!letGo.takenOver && hasAnotherAddress(service));
}

/** Whether another controller seems to have published an address. */
function hasAnotherAddress({ metadata, status }: Service): boolean {
  const ours = metadata.annotations?.[LOAD_BALANCER_ADDRESS];
  const published = status?.loadBalancer?.ingress ?? [];
  return ours !== undefined && published.some(({ ip }) => ip !== undefined && ip !== ours);
}

export function letGoInWords(letGo: readonly Service[], config: Config): readonly string[] {
  const because = (service: Service): string => whyLetGo(service, config)?.because ?? '';
  return [...Map.groupBy(letGo, because)].map(([reason, services]) => {
    const names = services.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    return `levelset does not look after ${names.join(', ')} any more, and changes and deletes nothing of them: ${reason}`;
  });
}
