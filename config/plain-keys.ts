import { parseDocument } from "yaml";
import { namespace } from "./mistakes.ts";
import { isMap } from "./read.ts";

/**
 * Whether the stack holds the key of a cluster's issuer as plain text. Pulumi tells which top-level
 * keys hold a secret somewhere, and no more; which values of these are plain is in the stack file.
 *
 * @param secretKeys full keys that are secret, in whole or in part
 * @param stackFile its text; undefined if it can't be read
 */
export function plainIssuerKeys(
  secretKeys: readonly string[],
  stackFile: string | undefined,
): (cluster: string) => boolean {
  const key = `${namespace}:trust`;
  if (!secretKeys.includes(key)) return () => true;
  const content: unknown = stackFile === undefined ? undefined : parseDocument(stackFile).toJS();
  return (cluster) =>
    typeof ["config", key, "issuers", cluster, "key"].reduce(valueAt, content) === "string";
}

function valueAt(map: unknown, key: string): unknown {
  return isMap(map) && Object.hasOwn(map, key) ? map[key] : undefined;
}
