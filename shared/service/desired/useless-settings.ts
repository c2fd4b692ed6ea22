import { goesToPods } from '../../model/load-balancer/service-endpoints.ts';
import type { Problem } from '../../model/plan.ts';
import { NEEDS, needsOf } from '../intent/annotation-row.ts';
import type { AnnotationNeed, AnnotationRow } from '../intent/annotation-row.ts';
import { ANNOTATIONS } from '../intent/annotations.ts';
import { protocolsOf, readsHttp } from '../intent/protocols.ts';
import type { PortIntent, Spelling } from '../intent/read-annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { localHealthPort, monitorTypeOf } from './desire-monitor.ts';

/** Values that switch something off. They are no Problem if no port makes use of them. */
const OFF: readonly unknown[] = [undefined, false, null, 'NONE'];

interface PortNeeds {
  readonly portIntent: PortIntent;
  readonly met: ReadonlySet<AnnotationNeed>;
}

/**
 * A Problem for each annotation of which no port makes use, since something that it needs is missing. An annotation
 * that has an effect on at least one port is no Problem.
 */
export function uselessSettings({ service, annotated }: ServiceIntent): readonly Problem[] {
  const ports = (service.spec.ports ?? []).flatMap((port, index): readonly PortNeeds[] => {
    const portIntent = annotated.ports[index];
    if (!portIntent) return [];
    const local = goesToPods(service, port) ? undefined : localHealthPort({ service });
    const met = needsMetBy(port.protocol ?? 'TCP', protocolsOf(port, portIntent).listener, portIntent, local);
    return [{ portIntent, met }];
  });
  return ANNOTATIONS.flatMap((row) => uselessOf(row, ports));
}

function needsMetBy(
  transport: string,
  listener: ReturnType<typeof protocolsOf>['listener'],
  { listener: attributes, pool, healthmonitor, ServicePort }: PortIntent,
  localPort: number | undefined,
): ReadonlySet<AnnotationNeed> {
  const isTls = listener === 'TERMINATED_HTTPS';
  const isTcp = transport === 'TCP';
  const isHttpCheck = ['HTTP', 'HTTPS'].includes(monitorTypeOf(transport, healthmonitor));
  const isMet: Readonly<Record<Exclude<AnnotationNeed, 'floating-ip'>, boolean>> = {
    tcp: isTcp,
    requests: readsHttp(listener),
    http: listener === 'HTTP',
    redirect: ServicePort.redirectHttp === true,
    tls: isTls,
    hsts: isTls && attributes.hsts_max_age !== undefined,
    'tls-to-members': isTcp && pool.tls_enabled === true,
    check: ServicePort.monitor === true || localPort !== undefined,
    'http-check': isHttpCheck && localPort === undefined,
  };
  return new Set(Object.entries(isMet).flatMap(([need, met]) => (met ? [need as AnnotationNeed] : [])));
}

function uselessOf(row: AnnotationRow, ports: readonly PortNeeds[]): readonly Problem[] {
  const needs = needsOf(row);
  if (needs.length === 0) return [];
  const spelled = ports.flatMap(({ portIntent, met }) => {
    const spelling = portIntent.spelled[`${row.on}.${row.sets}`];
    const missing = needs.find((need) => !met.has(need));
    return spelling ? [{ spelling, missing, isOff: OFF.includes(valueOf(row, portIntent)) }] : [];
  });
  const used = new Set(spelled.flatMap(({ spelling, missing }) => (missing ? [] : [spelling.name])));
  const found = spelled.flatMap(({ spelling, missing, isOff }) =>
    missing && !isOff && !used.has(spelling.name) ? [problemOf(row, spelling, missing)] : [],
  );
  return [...new Map(found.map((problem) => [problem.field, problem])).values()];
}

function valueOf(row: AnnotationRow, portIntent: PortIntent): unknown {
  const values = (portIntent as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[
    row.on
  ];
  return values?.[row.sets];
}

function problemOf({ unused }: AnnotationRow, { name, text }: Spelling, need: AnnotationNeed): Problem {
  return unused === 'blocks'
    ? {
        field: name,
        value: text,
        message: `needs ${NEEDS[need]}; levelset changes nothing until there is one, since people may rely on it`,
        blocking: true,
      }
    : { field: name, value: text, message: `needs ${NEEDS[need]}; levelset ignores it` };
}
