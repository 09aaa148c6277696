import { createHash } from "node:crypto";
import type { Certificate } from "./certificate.ts";

/** Contains each anchor once. */
export type Bundle = readonly Certificate[];

/** Ends without a line end, because Linkerd takes what follows for a broken certificate (linkerd-behaviour.md 9.3). */
export function bundleText(bundle: Bundle): string {
  return bundle.map(({ pem }) => pem).join("\n");
}

/** Returns the value of the annotation `linkerd.io/trust-root-sha256` of a meshed pod. */
export function trustRootHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function unique(certificates: readonly Certificate[]): Bundle {
  return [...new Map(certificates.map((each) => [each.fingerprint, each])).values()];
}

export function has(bundle: Bundle, { fingerprint }: Certificate): boolean {
  return bundle.some((anchor) => anchor.fingerprint === fingerprint);
}

export function without(bundle: Bundle, other: Bundle): Bundle {
  return bundle.filter((anchor) => !has(other, anchor));
}

export function isSameSet(one: Bundle, other: Bundle): boolean {
  return without(one, other).length === 0 && without(other, one).length === 0;
}

/** Nobody needs an anchor that has expired. */
export function needed(bundle: Bundle, now: Date): Bundle {
  return bundle.filter(({ notAfter }) => notAfter > now);
}

/** Keeps the live order, because another one would restart every pod. */
export function inLiveOrder(wanted: Bundle, live: Bundle): Bundle {
  return isSameSet(wanted, live) ? live : wanted;
}
