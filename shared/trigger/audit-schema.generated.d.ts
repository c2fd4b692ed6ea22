/** Types of the code that generate-audit-schema.ts writes. */
interface Validate {
  (data: unknown): boolean;
  errors?:
    | readonly {
        readonly instancePath: string;
        readonly message?: string;
        readonly params: Readonly<Record<string, unknown>>;
      }[]
    | null;
}

export declare const eventList: Validate;
export declare const auditEvent: Validate;
