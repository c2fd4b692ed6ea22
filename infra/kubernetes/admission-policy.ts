/** Writes admission-policy.yaml: what of the table of annotations CEL can say, for those who want no webhook. */
import { writeFileSync } from 'node:fs';
import { ANNOTATIONS, type AnnotationRow } from '../../shared/service/intent/annotations.ts';
import { ANNOTATION_PREFIX } from '../../shared/model/annotation-prefixes.ts';
import { UUID_PATTERN } from '../../shared/model/text/text.ts';

/** What a value has to match, in RE2, and the bounds of the number in it. */
export interface Check {
  readonly pattern: string;
  readonly bounds?: readonly [least: number, most: number];
}

/** What JavaScript takes for white space. */
const SPACE = '[\\s\\v\\p{Z}\\x{FEFF}]';
const BETWEEN = '[\\s\\v\\p{Z}\\x{FEFF},]';
/** No value is this: every parser says what it would have taken. */
const NOTHING = '\u0000';

/** By what a parser says that it allows. */
const FORMATS: Readonly<Record<string, string>> = {
  'true or false': 'true|false',
  'true or false exactly': 'true|false',
  'true, v1, v2 or false': 'true|v1|v2|false',
  '1.0 or 1.1': '1\\.[01]',
  'the UUID of a resource': UUID_PATTERN,
};

const whole = (one: string): string => `^(?i:${SPACE}*(?:${one})${SPACE}*)$`;
const listOf = (one: string): string => `^(?i:${BETWEEN}*(?:${one})(?:${BETWEEN}+(?:${one}))*${BETWEEN}*)$`;

/** The check of a row, which refuses nothing that the row's parser takes; undefined where CEL cannot say it. */
export function checkOf(row: AnnotationRow): Check | undefined {
  const allowed = allowedBy(row);
  const [, least, most] = /^a whole number from (-?\d+) to (\d+)$/.exec(allowed) ?? [];
  if (least !== undefined)
    return { pattern: whole('[-+]?[0-9]{1,10}'), bounds: [Number(least), Number(most)] };
  const [, item] = /^a comma-separated list, each (.*)$/.exec(allowed) ?? [];
  const one = wordsOf(item ?? allowed, row);
  return one === undefined ? undefined : { pattern: item === undefined ? whole(one) : listOf(one) };
}

/** What a row's parser says that it takes; empty where it takes everything. */
export function allowedBy(row: AnnotationRow): string {
  const parsed = row.parse(NOTHING);
  return 'allowed' in parsed ? parsed.allowed : '';
}

/** A format, or words with commas between each of which the parser takes. */
function wordsOf(allowed: string, { parse }: AnnotationRow): string | undefined {
  const format = FORMATS[allowed];
  if (format !== undefined) return format;
  const words = allowed.replace(/^one of /, '').split(', ');
  const areAll = words.every((word) => /^[\w./-]+$/.test(word) && 'value' in parse(word));
  return areAll ? words.map((word) => word.replaceAll('.', '\\.')).join('|') : undefined;
}

const quoted = (text: string): string => JSON.stringify(text);

function validationsOf(row: AnnotationRow): readonly string[] {
  const check = checkOf(row);
  if (!check) return [];
  return row.names.map((name) => {
    const value = `variables.now['${name}']`;
    const isRead = [
      `!('${name}' in variables.now)`,
      `('${name}' in variables.before && variables.before['${name}'] == ${value})`,
      ...(!name.startsWith(ANNOTATION_PREFIX) || 'value' in row.parse('')
        ? [`${value}.matches(r'^${SPACE}*$')`]
        : []),
      ...(name.startsWith(ANNOTATION_PREFIX)
        ? [`variables.now.exists(one, one.startsWith('${name}.'))`]
        : []),
    ];
    const number = `int(${value}.find('-?[0-9]+'))`;
    const inBounds = check.bounds?.map((bound, at) => `${number} ${at === 0 ? '>=' : '<='} ${bound}`) ?? [];
    const isGood = [`${value}.matches(r'${check.pattern}')`, ...inBounds].join(' && ');
    return `    - expression: ${quoted([...isRead, `(${isGood})`].join(' || '))}
      message: ${quoted(`${name} must be ${allowedBy(row)}`)}`;
  });
}

/** The whole file. */
export function admissionPolicyFile(): string {
  const silent = ANNOTATIONS.filter((row) => !checkOf(row)).flatMap(({ names }) => names);
  return `# Written by npm run generate from the table in shared/service/intent/annotations.ts. Kubernetes 1.30 or newer.
# Whoever writes a Service of type LoadBalancer with a value that levelset would not take is warned, without a webhook. What it says of
# nothing: annotations for one port (NAME.443), names that no row has, annotations without effect, what cloud.conf decides, and
# values of the following (the apiserver itself refuses source ranges that are no CIDRs)
${silent.map((name) => `#   ${name}\n`).join('')}# With --load-balancer-class compare spec.loadBalancerClass with that name in matchConditions. To refuse, put Deny in the place of Warn.
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: levelset-services
spec:
  failurePolicy: Ignore
  matchConstraints:
    resourceRules:
      - apiGroups: ['']
        apiVersions: [v1]
        operations: [CREATE, UPDATE]
        resources: [services]
  matchConditions:
    - name: load-balancer
      expression: object.spec.type == 'LoadBalancer' && !has(object.metadata.deletionTimestamp)
    - name: class
      expression: '!has(object.spec.loadBalancerClass)'
  variables:
    - name: now
      expression: 'has(object.metadata.annotations) ? object.metadata.annotations : {}'
    # as it was, while it was a load balancer already: an old mistake stops no other change
    - name: before
      expression: >-
        oldObject != null && oldObject.spec.type == 'LoadBalancer' && has(oldObject.metadata.annotations)
        ? oldObject.metadata.annotations : {}
  validations:
${ANNOTATIONS.flatMap(validationsOf).join('\n')}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: levelset-services
spec:
  policyName: levelset-services
  validationActions: [Warn, Audit]
`;
}

if (import.meta.main) writeFileSync(new URL('admission-policy.yaml', import.meta.url), admissionPolicyFile());
