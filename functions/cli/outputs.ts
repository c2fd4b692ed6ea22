import type { Flags } from '../../shared/config/read-flags.ts';

/** Whether objects are printed in place of text: json or yaml, with the same content. */
export function printsObjects({ output }: Pick<Flags, 'output'>): boolean {
  return output === 'json' || output === 'yaml';
}

/** Prints what a program reads. The code that writes YAML is loaded when it is asked for. */
export async function printObjects(objects: unknown, { output }: Pick<Flags, 'output'>): Promise<void> {
  if (output !== 'yaml') {
    console.log(JSON.stringify(objects, undefined, 2));
    return;
  }
  const { stringify } = await import('yaml');
  console.log(stringify(objects, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd());
}
