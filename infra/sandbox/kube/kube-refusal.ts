import { Refusal } from '../refusal.ts';
import { qualified, type ResourceType } from './kube-objects.ts';

/** A Status of the API machinery: the body of every answer of the apiserver that is no object. */
export function statusRefusal(code: number, reason: string, message: string, details?: unknown): Refusal {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason };
  return new Refusal(code, { ...body, ...(details === undefined ? {} : { details }), code });
}

const about = (type: ResourceType, name: string): Record<string, string> => ({
  name,
  ...(type.group === '' ? {} : { group: type.group }),
  kind: type.plural,
});

export const notFound = (type: ResourceType, name: string): Refusal =>
  statusRefusal(404, 'NotFound', `${qualified(type)} "${name}" not found`, about(type, name));

export const alreadyExists = (type: ResourceType, name: string): Refusal =>
  statusRefusal(409, 'AlreadyExists', `${qualified(type)} "${name}" already exists`, about(type, name));

export function conflict(type: ResourceType, name: string, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${qualified(type)} "${name}": ${why}`;
  return statusRefusal(409, 'Conflict', message, about(type, name));
}

/** 422 with one cause; `problem` is `field: Kind of problem: text`. */
export function invalid(type: ResourceType, name: string, field: string, problem: string): Refusal {
  const subject = `${type.kind}${type.group === '' ? '' : `.${type.group}`} "${name}"`;
  const causes = [{ reason: 'FieldValueInvalid', message: problem, field }];
  const details = { ...about(type, name), kind: type.kind, causes };
  return statusRefusal(422, 'Invalid', `${subject} is invalid: ${field}: ${problem}`, details);
}
