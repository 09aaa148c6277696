import type { LinkResource } from "../../../engine/kubernetes/objects/link-resource.ts";
import type { Stored } from "../objects.ts";
import { type Objection, objection } from "../refusals.ts";

/** As the schema of the CustomResourceDefinition has it; the other rules of it are not for here. */
export function* linkObjections(link: Stored): Generator<Objection> {
  const { mirrorServices = [], federatedServices = [] } = (link.status ?? {}) as NonNullable<
    LinkResource["status"]
  >;
  for (const [field, services] of Object.entries({ mirrorServices, federatedServices })) {
    for (const [index, { conditions = [] }] of services.entries()) {
      for (const [number, { status, reason }] of conditions.entries()) {
        const at = `status.${field}[${index}].conditions[${number}]`;
        if (reason.length > 1024 || !/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason))
          yield objection("FieldValueInvalid", `${at}.reason`, reason);
        if (!["True", "False", "Unknown"].includes(status))
          yield objection("FieldValueNotSupported", `${at}.status`, status);
      }
    }
  }
}
