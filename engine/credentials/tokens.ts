import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { Secret } from "../kubernetes/objects/objects.ts";
import { type ObjectName, resources } from "../kubernetes/objects/resources.ts";
import { accountAnnotation, managedByLabel, tokenName, tokenNumber, tokenType } from "./objects.ts";
import type { TokenRotation } from "./state.ts";

export interface LiveToken {
  readonly name: string;
  readonly createdAt: Date;
}

export interface TokenDue {
  readonly name: string;
  /** Why this isn't the token of the previous run, if there was one. */
  readonly why?: string;
  /** A new token is due and has to wait for this reason. */
  readonly waits?: string;
}

const day = 86_400_000;

/**
 * Depends only on its arguments, so that preview and update agree, and a run after an interrupted one continues with the
 * new Secret. `before` is the Secret of the last run. If it no longer exists, a new name makes Pulumi, whose state still
 * lists the old one, create it.
 */
export function tokenDue(
  account: string,
  { generation, maxAgeDays }: TokenRotation,
  live: readonly LiveToken[],
  before: string | undefined,
  now: Date,
): TokenDue {
  const named = (serial: number) => tokenName(account, { generation, serial });
  const serials = live.flatMap((token) => {
    const number = tokenNumber(account, token.name);
    return number?.generation === generation ? [{ serial: number.serial, token }] : [];
  });
  const newest = serials.sort((a, b) => b.serial - a.serial)[0];
  const last = before === undefined ? undefined : tokenNumber(account, before);
  const lost = last?.generation === generation && last.serial > (newest?.serial ?? 0);
  if (lost)
    return {
      name: named(last.serial + 1),
      why: `Secret ${before ?? ""} no longer exists in the target`,
    };
  if (newest === undefined) {
    if (last === undefined) return { name: named(1) };
    const why = `credentialsGeneration changed from ${last.generation} to ${generation}`;
    return { name: named(1), why };
  }
  const age = Math.floor((now.getTime() - newest.token.createdAt.getTime()) / day);
  if (maxAgeDays === undefined || age < maxAgeDays) return { name: newest.token.name };
  const why = `the token is ${age} days old, and credentialsMaxAge is ${maxAgeDays}`;
  return { name: named(newest.serial + 1), why };
}

/**
 * A source that can't get a new token in this run keeps the old one as long as it exists, because the run that replaces a
 * token deletes it at the end, which would leave the source without any.
 */
export function heldToken(
  due: TokenDue,
  live: readonly LiveToken[],
  before: string | undefined,
): TokenDue {
  const isKept = due.name !== before && live.some(({ name }) => name === before);
  if (before === undefined || !isKept) return due;
  return { name: before, waits: due.why ?? `an interrupted run created ${due.name}` };
}

/** Secrets of other programs are left out, and those being deleted are not. */
export async function tokensOf(
  account: string,
  namespace: string,
  kubernetes: Pick<Kubernetes, "list">,
): Promise<Secret[]> {
  const options = { namespace, labelSelector: managedByLabel };
  const found = await kubernetes.list(resources.secrets, options);
  return found.filter(
    ({ type, metadata }) =>
      type === tokenType && metadata.annotations?.[accountAnnotation] === account,
  );
}

/** Returns undefined while Kubernetes hasn't filled the Secret, or if there is none. */
export async function tokenIn(
  at: ObjectName,
  kubernetes: Pick<Kubernetes, "find">,
): Promise<string | undefined> {
  const base64 = (await kubernetes.find(resources.secrets, at))?.data?.token;
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString();
}
