import { apiShapes, atomicTypes } from './api-shapes.ts';

/** What a value of the API is. */
export type Shape =
  | { readonly is: 'scalar'; readonly name: string; readonly default: string | undefined }
  /** Whatever it holds. */
  | { readonly is: 'any' }
  | { readonly is: 'struct'; readonly name: string; readonly atomic: boolean }
  | { readonly is: 'map'; readonly of: Shape; readonly atomic: boolean }
  | {
      readonly is: 'list';
      readonly of: Shape;
      readonly merges: 'atomic' | 'set' | 'map';
      /** By which items of a map are told apart. */
      readonly keys: readonly string[];
      /** How a strategic merge patch merges: by a key, or as a set where the key is empty. */
      readonly patchKey: string | undefined;
    };

export interface Field {
  readonly shape: Shape;
  readonly required: boolean;
}

export interface Struct {
  /** With its package: `io.k8s.api.core.v1.Service`. */
  readonly fullName: string;
  readonly fields: ReadonlyMap<string, Field>;
}

const structs = new Map<string, Struct>();

for (const [home, shapes] of Object.entries(apiShapes))
  for (const [name, text] of Object.entries(shapes))
    structs.set(name, { fullName: `${home}.${name}`, fields: new Map(text.split(/,\s*/).map(readField)) });

/** A type by its short name. */
export function structOf(name: string): Struct {
  const found = structs.get(name);
  if (!found) throw new Error(`the schema has no type ${name}`);
  return found;
}

/** All types by their short names. */
export const structNames = (): readonly string[] => [...structs.keys()];

function readField(text: string): [string, Field] {
  const [name = '', type = '', ...flags] = text.trim().split(/\s+/);
  return [name.replace('!', ''), { shape: readShape(type, flags), required: name.endsWith('!') }];
}

function readShape(type: string, flags: readonly string[]): Shape {
  const inner = type.slice(1, -1);
  if (type.startsWith('{')) return { is: 'map', of: readShape(inner, []), atomic: flags.includes('atomic') };
  if (type.startsWith('[')) {
    const valueOf = (flag: string): string | undefined =>
      flags.find((one) => one === flag || one.startsWith(`${flag}=`))?.slice(flag.length + 1);
    const keys = valueOf('keys')?.split('+') ?? [];
    const merges = keys.length > 0 ? 'map' : flags.includes('set') ? 'set' : 'atomic';
    return { is: 'list', of: readShape(inner, []), merges, keys, patchKey: valueOf('merge') };
  }
  if (type === 'any') return { is: 'any' };
  const [name = '', given] = type.split('=');
  const isStruct = /^[A-Z]/.test(name) && !['Time', 'Quantity', 'IntOrString'].includes(name);
  if (isStruct) return { is: 'struct', name, atomic: atomicTypes.includes(name) };
  return { is: 'scalar', name, default: given };
}
