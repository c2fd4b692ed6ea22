import { didYouMean } from './flags/did-you-mean.ts';

/**
 * The four loops of a cloud-controller-manager by their names in Kubernetes (docs/sources/kubernetes.md, "Flags of the
 * cloud-controller-manager"), each with its short one.
 */
const ALIASES = {
  'service-lb-controller': 'service',
  'cloud-node-controller': 'cloud-node',
  'cloud-node-lifecycle-controller': 'cloud-node-lifecycle',
  'node-route-controller': 'route',
} as const;

export type ControllerName = keyof typeof ALIASES;

export const CONTROLLERS = Object.keys(ALIASES) as readonly ControllerName[];

/**
 * `--controllers`: `*` is all, a name turns one on, `-name` turns one off, the first that names it counts. As in the Go
 * program, what is not named is on only with a star.
 */
export function controllersFlag(value: string | undefined, problems: string[]): readonly ControllerName[] {
  const named = (value ?? '').split(/[\s,]+/).filter((word) => word !== '');
  const words = named.length === 0 ? ['*'] : named;
  const unknown = words.filter((word) => word !== '*' && nameOf(word) === undefined);
  for (const word of unknown) problems.push(refusal(word));
  const on = CONTROLLERS.filter((name) => isOn(name, words));
  if (on.length === 0 && unknown.length === 0)
    problems.push(`--controllers=${words.join(',')} leaves none: begin with a star, such as *,-route`);
  return on;
}

function isOn(name: ControllerName, words: readonly string[]): boolean {
  const first = words.find((word) => nameOf(word) === name);
  return first === undefined ? words.includes('*') : !first.startsWith('-');
}

function nameOf(word: string): ControllerName | undefined {
  const bare = word.replace(/^-/, '');
  return CONTROLLERS.find((name) => name === bare || ALIASES[name] === bare);
}

function refusal(word: string): string {
  const known = CONTROLLERS.map((name) => `${name} (${ALIASES[name]})`).join(', ');
  const hint = didYouMean(word.replace(/^-/, ''), [...CONTROLLERS, ...Object.values(ALIASES)]);
  return `--controllers has no ${JSON.stringify(word)}${hint}; there are *, ${known}, each with a - before it to turn it off`;
}
