/** What is a secret by its looks: tokens of a header, of a ServiceAccount (JWT) and of Keystone (Fernet), and keys in PEM. */
const LOOKS = [
  /(?<=\b(?:bearer|x-auth-token:?)\s+)[\w.~+/=:-]{8,}/gi,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /\bgAAAA[\w-]{20,}={0,2}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*-----|$)/g,
];

const REDACTED = 'REDACTED';

/** A text without these secrets, as they are and as JSON has them, and without what is a secret by its looks. */
export function redact(text: string, secrets: readonly string[]): string {
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const longestFirst = written.filter((one) => one !== '').sort((a, b) => b.length - a.length);
  const known = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return LOOKS.reduce((rest, look) => rest.replaceAll(look, REDACTED), known);
}

/** Whether the name of a variable or of a flag says that its value is a secret. */
export const isSecretName = (name: string): boolean =>
  /(tokens?|passw(or)?d|secret|[-_]key|credential|assertion)$/i.test(name);
