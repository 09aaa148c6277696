import type { Kind } from "../kinds.ts";
import type { Stored } from "../objects.ts";
import { type Objection, objection } from "../refusals.ts";

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualified = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

export function isDnsLabel(text: string): boolean {
  return dnsLabel.test(text);
}

export function isLabelKey(key: string): boolean {
  const [name = "", prefix, ...more] = key.split("/").reverse();
  return (
    more.length === 0 &&
    qualified.test(name) &&
    (prefix === undefined || (subdomain.test(prefix) && prefix.length <= 253))
  );
}

export function isLabelValue(value: string): boolean {
  return value === "" || qualified.test(value);
}

/** Those that Kubernetes 1.36 takes; before, a Service's could not begin with a digit. */
function isName(kind: Kind, name: string): boolean {
  return kind.kind === "Namespace" || kind.kind === "Service"
    ? isDnsLabel(name)
    : subdomain.test(name) && name.length <= 253;
}

export function* metadataObjections(kind: Kind, { metadata }: Stored): Generator<Objection> {
  const { name, labels = {}, annotations = {}, finalizers = [] } = metadata;
  if (name === "") yield objection("FieldValueRequired", "metadata.name");
  else if (!isName(kind, name)) yield objection("FieldValueInvalid", "metadata.name", name);
  for (const [key, value] of Object.entries(labels)) {
    if (!isLabelKey(key)) yield objection("FieldValueInvalid", "metadata.labels", key);
    if (!isLabelValue(value)) yield objection("FieldValueInvalid", "metadata.labels", value);
  }
  for (const key of Object.keys(annotations))
    if (!isLabelKey(key.toLowerCase()))
      yield objection("FieldValueInvalid", "metadata.annotations", key);
  const size = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + key.length + value.length,
    0,
  );
  if (size > 256 * 1024) yield objection("FieldValueTooLong", "metadata.annotations");
  for (const [index, finalizer] of finalizers.entries()) {
    if (isLabelKey(finalizer)) {
      if (!finalizer.includes("/"))
        yield objection("FieldValueInvalid", `metadata.finalizers[${index}]`, finalizer);
      continue;
    }
    yield objection("FieldValueInvalid", "metadata.finalizers", finalizer);
    yield objection("FieldValueInvalid", `metadata.finalizers[${index}]`, finalizer);
  }
}
