/** CloudFormation's template language, as far as templates of this project use it. What it does not know is an error. */
export type Json = Readonly<Record<string, unknown>>;

export interface Resource {
  readonly Type: string;
  readonly Properties?: Json;
}

export interface TemplateText {
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Json;
}

/** A resource that is referred to. */
export interface Referred {
  readonly id: string;
  readonly type: string;
  /** The value of one of its properties. */
  property(name: string): unknown;
}

/** What a resource becomes: the value of `Ref`, or of an attribute by `Fn::GetAtt`. */
export type Physical = (resource: Referred, attribute: string | undefined) => unknown;

export const REGION = 'eu-central-1';
/** The account that ElasticMQ has, too. */
export const ACCOUNT = '000000000000';

const PSEUDO: Readonly<Record<string, unknown>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::StackId': `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/levelset-lab/1`,
  'AWS::StackName': 'levelset-lab',
  'AWS::URLSuffix': 'amazonaws.com',
};

export class Intrinsics {
  readonly #template: TemplateText;
  readonly #physical: Physical;

  constructor(template: TemplateText, physical: Physical) {
    this.#template = template;
    this.#physical = physical;
  }

  /** The resources of a type, their properties resolved. */
  ofType(type: string): ReadonlyMap<string, Json> {
    const found = Object.entries(this.#template.Resources).filter(([, { Type }]) => Type === type);
    return new Map(found.map(([id, { Properties = {} }]) => [id, this.resolve(Properties) as Json]));
  }

  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (typeof value !== 'object' || value === null) return value;
    const [only, ...more] = Object.entries(value);
    if (only && more.length === 0 && (only[0] === 'Ref' || only[0].startsWith('Fn::')))
      return this.#call(only[0], only[1]);
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.resolve(item)]));
  }

  #call(name: string, given: unknown): unknown {
    switch (name) {
      case 'Ref':
        return this.#ref(String(given));
      case 'Fn::GetAtt':
        return this.#attribute(given);
      case 'Fn::Sub':
        return this.#sub(given);
    }
    const list = this.resolve(given) as readonly unknown[];
    switch (name) {
      case 'Fn::Join':
        return (list[1] as readonly unknown[]).map(String).join(String(list[0]));
      case 'Fn::Select':
        return (list[1] as readonly unknown[])[Number(list[0])];
      case 'Fn::Split':
        return String(list[1]).split(String(list[0]));
      default:
        throw new Error(`the lab does not know ${name} of CloudFormation: ${JSON.stringify(given)}`);
    }
  }

  #ref(id: string): unknown {
    if (id in PSEUDO) return PSEUDO[id];
    const parameter = this.#template.Parameters?.[id];
    if (parameter) {
      if (parameter.Default === undefined) throw new Error(`the parameter ${id} has no default`);
      return parameter.Default;
    }
    return this.#physical(this.#referred(id), undefined);
  }

  #attribute(given: unknown): unknown {
    const [id = '', ...path] = typeof given === 'string' ? given.split('.') : (given as readonly string[]);
    return this.#physical(this.#referred(id), path.join('.'));
  }

  #sub(given: unknown): string {
    const [text, names] = (Array.isArray(given) ? given : [given, {}]) as [string, Json];
    return text.replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal !== '') return `\${${name}}`;
      if (name in names) return String(this.resolve(names[name]));
      return String(name.includes('.') ? this.#attribute(name) : this.#ref(name));
    });
  }

  #referred(id: string): Referred {
    const { Type, Properties } = this.#template.Resources[id] ?? {};
    if (Type === undefined) throw new Error(`the template has no resource ${id}`);
    return { id, type: Type, property: (name) => this.resolve(Properties?.[name]) };
  }
}
