import { Refusal } from '../refusal.ts';
import { qualified, type ResourceType } from './kube-objects.ts';

/** A Status of the API machinery: the body of every answer of the apiserver that is no object. */
export function statusRefusal(code: number, reason: string, message: string, details?: unknown): Refusal {
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason };
  return new Refusal(code, { ...body, ...(details === undefined ? {} : { details }), code });
}

export const about = (type: ResourceType, name: string): Record<string, string> => ({
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

/** 415 for a body of a media type that is not read here. */
export function unknownFormat(known: readonly string[]): Refusal {
  const why = 'the body of the request was in an unknown format';
  const message = `${why} - accepted media types include: ${known.join(', ')}`;
  return statusRefusal(415, 'UnsupportedMediaType', message);
}

/** What is wrong with a field; `problem` is `Kind of problem: text`. */
export interface Cause {
  readonly field: string;
  readonly problem: string;
}

const reasons: readonly [string, string][] = [
  ['Forbidden', 'FieldValueForbidden'],
  ['Duplicate value', 'FieldValueDuplicate'],
  ['Unsupported value', 'FieldValueNotSupported'],
  ['Required value', 'FieldValueRequired'],
];

const subjectOf = ({ kind, group }: ResourceType, name: string): string =>
  `${kind}${group === '' ? '' : `.${group}`} "${name}"`;

/** 422 with one cause. */
export const invalid = (type: ResourceType, name: string, field: string, problem: string): Refusal =>
  invalidAll(type, name, [{ field, problem }]);

/** 422 with everything that is wrong. */
export function invalidAll(type: ResourceType, name: string, wrong: readonly Cause[]): Refusal {
  const causes = wrong.map(({ field, problem }) => {
    const reason = reasons.find(([start]) => problem.startsWith(start))?.[1] ?? 'FieldValueInvalid';
    return { reason, message: problem, field };
  });
  const texts = wrong.map(({ field, problem }) => `${field}: ${problem}`);
  const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const details = { ...about(type, name), kind: type.kind, causes };
  return statusRefusal(422, 'Invalid', `${subjectOf(type, name)} is invalid: ${text ?? ''}`, details);
}

/** 409 of a DELETE whose precondition does not hold; unlike other conflicts it names the kind, not the resource. */
export function deleteConflict(
  type: ResourceType,
  name: string,
  what: 'UID' | 'ResourceVersion',
  wanted: string,
  found: string,
): Refusal {
  const why =
    what === 'UID'
      ? 'The object might have been deleted and then recreated'
      : 'The object might have been modified';
  const text = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). ${why}`;
  const details = { ...about(type, name), kind: type.kind };
  return statusRefusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${subjectOf(type, name)}: ${text}`,
    details,
  );
}
