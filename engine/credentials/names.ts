/** The service account in the target that stands for one consumer, and so can be revoked alone. */
export function accountName(source: string): string {
  return `linkerd-multicluster-access-${source}`;
}

/** The Secrets in the source; Linkerd's tools and RBAC expect this very name (1.4, 1.9). */
export function credentialsName(target: string): string {
  return `cluster-credentials-${target}`;
}

/** Which of an account's tokens: rotation on demand raises the first number, by age the second. */
export interface TokenNumber {
  readonly generation: number;
  readonly serial: number;
}

export function tokenName(account: string, { generation, serial }: TokenNumber): string {
  return `${account}-token-${generation}-${serial}`;
}

/** The number in a token Secret's name; undefined for a name that this program never gives. */
export function tokenNumber(account: string, name: string): TokenNumber | undefined {
  const prefix = `${account}-token-`;
  const numbers = name.startsWith(prefix)
    ? /^([1-9]\d{0,8})-([1-9]\d{0,8})$/.exec(name.slice(prefix.length))
    : null;
  return numbers === null
    ? undefined
    : { generation: Number(numbers[1]), serial: Number(numbers[2]) };
}
