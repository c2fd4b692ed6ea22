/** The value at a dotted path of a JSON body (`loadbalancer.listeners.0.id`), or undefined. */
export function at(body: unknown, path: string): unknown {
  let value = body;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The same where a text is expected; fails loudly when something else is there. */
export function textAt(body: unknown, path: string): string {
  const value = at(body, path);
  if (typeof value === 'string') return value;
  throw new Error(`no text at ${path}: ${JSON.stringify(body)}`);
}

export function listAt(body: unknown, path: string): unknown[] {
  const value = at(body, path);
  if (Array.isArray(value)) return value;
  throw new Error(`no list at ${path}: ${JSON.stringify(body)}`);
}
