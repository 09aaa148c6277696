import { mirrorKey } from "../desired/refuse.ts";
import type { Mirror } from "../model/mirror.ts";
import type { AddressOf } from "./canonical.ts";
import type { LiveMirror, Write } from "./change.ts";
import { difference } from "./difference.ts";

/** The change that makes a live mirror what it should be; none where it is. */
export function changeFor(wanted: Mirror, live: LiveMirror, addressOf: AddressOf): Write[] {
  const { service, endpoints, replace } = difference(live, wanted, addressOf);
  const common = { kind: wanted.kind, key: mirrorKey(wanted), live, wanted };
  if (live.service === undefined) return [{ action: "create", fields: [], ...common }];
  const fields = [...service, ...endpoints];
  if (fields.length === 0) return [];
  return [{ action: replace ? "replace" : "update", fields, ...common }];
}
