import type { KubeObject } from './kube-objects.ts';

/** Objects in the order in which a list has them: by namespace, then name. */
export class ObjectView {
  readonly objects: readonly KubeObject[];
  readonly #byLabel = new Map<string, Map<string, KubeObject[]>>();

  constructor(objects: readonly KubeObject[]) {
    this.objects = objects;
  }

  /** Those with this value of the label, in the same order. */
  labelled(label: string, value: string): readonly KubeObject[] {
    return this.#valuesOf(label).get(value) ?? [];
  }

  #valuesOf(label: string): Map<string, KubeObject[]> {
    const known = this.#byLabel.get(label);
    if (known) return known;
    const having = this.objects.filter(({ metadata }) => metadata.labels?.[label] !== undefined);
    const values = Map.groupBy(having, ({ metadata }) => metadata.labels?.[label] ?? '');
    this.#byLabel.set(label, values);
    return values;
  }
}

/** The objects of one type. What lists need is made at the first list after a change, and serves those that follow. */
export class ObjectTable {
  readonly #byKey = new Map<string, KubeObject>();
  readonly #views = new Map<string | undefined, ObjectView>();

  get(key: string): KubeObject | undefined {
    return this.#byKey.get(key);
  }

  set(key: string, object: KubeObject): void {
    this.#views.clear();
    this.#byKey.set(key, object);
  }

  delete(key: string): void {
    this.#views.clear();
    this.#byKey.delete(key);
  }

  /** All objects, or those of a namespace. */
  view(namespace?: string): ObjectView {
    const known = this.#views.get(namespace);
    if (known) return known;
    const whole = namespace === undefined ? this.#sorted() : this.view().objects;
    const isHere = ({ metadata }: KubeObject): boolean =>
      namespace === undefined || metadata.namespace === namespace;
    const view = new ObjectView(whole.filter(isHere));
    this.#views.set(namespace, view);
    return view;
  }

  #sorted(): readonly KubeObject[] {
    const keys = [...this.#byKey.keys()].sort();
    return keys.flatMap((key) => this.#byKey.get(key) ?? []);
  }
}
