import type { Scalar } from 'yaml';

/** Fields that run a program, or log in elsewhere. */
const PROGRAMS = ['exec', 'auth-provider'];
const FLATTEN = 'give the field that ends in -data, as kubectl config view --minify --flatten --raw does';
/** Fields that name a file, and what takes its place. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['tokenFile', 'give token'],
  ['certificate-authority', FLATTEN],
  ['client-certificate', FLATTEN],
  ['client-key', FLATTEN],
]);

/**
 * Refuses what leads out of an entry: programs and files, wherever they stand. Adds to `problems`, which name the line. Returns the
 * values in the text, for messages to leave out.
 */
export async function checkKubeconfig(text: string, problems: string[]): Promise<readonly string[]> {
  const { isMap, LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' });
  const lineOf = (offset: number): number => lineCounter.linePos(offset).line;
  const [error] = document.errors;
  if (error !== undefined) {
    problems.push(`kubeconfig:${lineOf(error.pos[0])}: this is no valid YAML (${error.code})`);
    return [];
  }
  const values: string[] = [];
  const walk = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value !== 'object' || value === null) {
      values.push(String(value));
      return;
    }
    for (const [key, below] of Object.entries(value)) {
      const remedy = below === null || below === '' ? undefined : remedyOf(key);
      const at = [...path, Array.isArray(value) ? Number(key) : key];
      if (remedy !== undefined)
        problems.push(`kubeconfig${placeOf(at)}: ${key} leads out of the entry: ${remedy}`);
      else walk(below, at);
    }
  };
  const placeOf = (path: readonly (string | number)[]): string => {
    const map = document.getIn(path.slice(0, -1), true);
    const pairs = isMap<Scalar>(map) ? map.items : [];
    const range = pairs.find(({ key }) => key.value === path.at(-1))?.key.range;
    return range ? `:${lineOf(range[0])}` : '';
  };
  try {
    walk(document.toJS(), []);
  } catch {
    problems.push('kubeconfig: an alias in it has no anchor, or there are too many aliases');
  }
  return values;
}

function remedyOf(key: string): string | undefined {
  return PROGRAMS.includes(key) ? 'give a token or a client certificate' : FILES.get(key);
}
