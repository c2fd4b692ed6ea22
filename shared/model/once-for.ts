/** What a pure function makes of an object, made once while the object lives: thousands of Services ask of one list of Nodes. */
export function onceFor<K extends object, T>(make: (of: K) => T): (of: K) => T {
  const made = new WeakMap<K, { readonly value: T }>();
  return (of) => {
    const known = made.get(of) ?? { value: make(of) };
    made.set(of, known);
    return known.value;
  };
}

/** The same for a function of an object and few other values; `textOf` tells these apart. */
export function onceForEach<K extends object, A extends readonly unknown[], T>(
  textOf: (...by: A) => string,
  make: (of: K, ...by: A) => T,
): (of: K, ...by: A) => T {
  const madeOf = onceFor((_of: K) => new Map<string, { readonly value: T }>());
  return (of, ...by) => {
    const made = madeOf(of);
    const text = textOf(...by);
    const known = made.get(text) ?? { value: make(of, ...by) };
    made.set(text, known);
    return known.value;
  };
}
