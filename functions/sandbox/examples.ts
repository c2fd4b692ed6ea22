import { readdir, readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';

export type Example = Readonly<Record<string, unknown>> & {
  readonly kind: 'Service';
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

const EXAMPLES = new URL('../../examples/', import.meta.url);

/** The Services of the example manifests. Everything else in them needs a real cluster. */
export async function readExamples(): Promise<readonly Example[]> {
  const files = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.yaml')).sort();
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, EXAMPLES), 'utf8')));
  return texts.flatMap((text) =>
    parseAllDocuments(text)
      .map((document) => document.toJS() as unknown)
      .filter(isService),
  );
}

function isService(value: unknown): value is Example {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Service';
}
