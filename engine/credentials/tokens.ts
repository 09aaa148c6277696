import { tokenName, tokenNumber } from "./names.ts";
import type { Rotation } from "./state.ts";

/** A token Secret in the target, without its content. */
export interface LiveToken {
  readonly name: string;
  readonly createdAt: Date;
}

export interface TokenDue {
  readonly name: string;
  /** Why this is not the token of the run before; absent: it is, or there was none. */
  readonly why?: string;
}

const day = 86_400_000;

/**
 * The token Secret that should be in use. It depends on nothing but its arguments, so that preview
 * and update agree; a run that breaks off after the new Secret was made finds that Secret and goes
 * on with it. `before` is the one of the last run: if that is gone, another name makes Pulumi,
 * which still believes in it, create one.
 */
export function tokenDue(
  account: string,
  { generation, maxAgeDays }: Rotation,
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
    return { name: named(last.serial + 1), why: `Secret ${before ?? ""} is gone from the target` };
  if (newest === undefined) {
    if (last === undefined) return { name: named(1) };
    const why = `credentialsGeneration is ${generation} and was ${last.generation}`;
    return { name: named(1), why };
  }
  const age = Math.floor((now.getTime() - newest.token.createdAt.getTime()) / day);
  if (maxAgeDays === undefined || age < maxAgeDays) return { name: newest.token.name };
  const why = `the token is ${age} days old, and credentialsMaxAge is ${maxAgeDays}`;
  return { name: named(newest.serial + 1), why };
}
