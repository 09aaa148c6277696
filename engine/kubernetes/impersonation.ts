import type { Impersonation } from "./kubeconfig-entries.ts";

/** A value of `as` or its like that no header can hold, in words without the value. */
export class UnsendableHeader extends Error {
  override readonly name = "UnsendableHeader";
}

/** As client-go's: one header for each value, and in a key what no header may be called encoded. */
export function impersonationHeaders(
  as: Impersonation | undefined,
): Readonly<Record<string, string | string[]>> {
  if (as === undefined) return {};
  const extra = Object.entries(as.extra).map(
    ([key, values]) => [`impersonate-extra-${headerKey(key)}`, values.map(headerValue)] as const,
  );
  return {
    "impersonate-user": headerValue(as.user),
    ...(as.uid !== undefined && { "impersonate-uid": headerValue(as.uid) }),
    ...(as.groups.length > 0 && { "impersonate-group": as.groups.map(headerValue) }),
    ...Object.fromEntries(extra.filter(([, values]) => values.length > 0)),
  };
}

function headerKey(key: string): string {
  return [...Buffer.from(key)]
    .map((byte) => [byte, String.fromCharCode(byte)] as const)
    .map(([byte, char]) =>
      /[A-Za-z0-9!#$&'*+\-.^_`|~]/.test(char)
        ? char
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("")
    .toLowerCase();
}

/** Sent as the bytes of UTF-8, as Go does; undici writes one byte for each character. */
function headerValue(value: string): string {
  if (!/[^\P{Cc}\t]/u.test(value)) return Buffer.from(value).toString("latin1");
  throw new UnsendableHeader("as, as-uid, as-groups and as-user-extra may not have line breaks");
}
