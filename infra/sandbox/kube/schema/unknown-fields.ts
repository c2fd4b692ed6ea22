import { isJson } from '../../json.ts';
import { structOf, type Shape } from './schema.ts';

const OF_EVERY_OBJECT = ['apiVersion', 'kind'];

/** The paths of what an object of a kind has and its schema has not: `spec.port`, `spec.ports[0].nodeport`. */
export function unknownFields(kind: string, object: unknown): string[] {
  return within({ is: 'struct', name: kind, atomic: false }, object, '').filter(
    (path) => !OF_EVERY_OBJECT.includes(path),
  );
}

function within(shape: Shape, value: unknown, path: string): string[] {
  if (shape.is === 'list' && Array.isArray(value))
    return value.flatMap((item, at) => within(shape.of, item, `${path}[${at}]`));
  if (!isJson(value) || shape.is !== 'struct') return [];
  const { fields } = structOf(shape.name);
  return Object.entries(value).flatMap(([name, item]) => {
    if (name.startsWith('$')) return [];
    const field = fields.get(name);
    const at = path === '' ? name : `${path}.${name}`;
    return field ? within(field.shape, item, at) : [at];
  });
}
