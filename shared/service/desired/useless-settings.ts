import type { Problem } from '../../model/plan.ts';
import { ANNOTATIONS, NEEDS, type AnnotationNeed, type AnnotationRow } from '../intent/annotations.ts';
import { readsHttp } from '../intent/ports.ts';
import type { Port } from '../intent/ports.ts';
import type { Spelling } from '../intent/read-annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { checkTypeOf, isChecked } from './desire-pool.ts';

/** Values that switch something off. They are no Problem if no port makes use of them. */
const OFF: readonly unknown[] = [undefined, false, null, 'NONE'];

type Needs = Readonly<Record<Exclude<AnnotationNeed, 'floating-ip'>, boolean>>;

/**
 * A Problem for each annotation of which no port makes use, since something that it needs is missing. An annotation
 * that has an effect on at least one port is no Problem.
 */
export function uselessSettings({ ports }: ServiceIntent): readonly Problem[] {
  const all = ports.map((port) => ({ port, isMet: needsMetBy(port) }));
  return ANNOTATIONS.flatMap((row) => uselessOf(row, all));
}

function needsMetBy(port: Port): Needs {
  const { listens, listener, pool, ServicePort, healthPort } = port;
  const isTls = listens === 'TERMINATED_HTTPS';
  const isTcp = port.transport === 'TCP';
  return {
    tcp: isTcp,
    requests: readsHttp(port),
    http: listens === 'HTTP',
    redirect: ServicePort.redirectHttp === true,
    tls: isTls,
    hsts: isTls && listener.hsts_max_age !== undefined,
    'tls-to-members': isTcp && pool.tls_enabled === true,
    check: isChecked(port),
    'http-check': healthPort === undefined && ['HTTP', 'HTTPS'].includes(checkTypeOf(port)),
  };
}

function uselessOf(
  row: AnnotationRow,
  ports: readonly { readonly port: Port; readonly isMet: Needs }[],
): readonly Problem[] {
  const { needs } = row;
  if (needs.length === 0) return [];
  const spelled = ports.flatMap(({ port, isMet }) => {
    const spelling = port.spelled[`${row.on}.${row.sets}`];
    const missing = needs.find((need) => need === 'floating-ip' || !isMet[need]);
    return spelling ? [{ spelling, missing, isOff: OFF.includes(valueOf(row, port)) }] : [];
  });
  const used = new Set(spelled.flatMap(({ spelling, missing }) => (missing ? [] : [spelling.name])));
  const found = spelled.flatMap(({ spelling, missing, isOff }) =>
    missing && !isOff && !used.has(spelling.name) ? [problemOf(row, spelling, missing)] : [],
  );
  return [...new Map(found.map((problem) => [problem.field, problem])).values()];
}

function valueOf(row: AnnotationRow, port: Port): unknown {
  const values = (port as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[row.on];
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
