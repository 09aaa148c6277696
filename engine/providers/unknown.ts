/** What Pulumi puts in the place of a value that is not known before an update has run. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether anything in a resource's inputs is not known yet; then neither is the plan. */
export function awaitsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(awaitsUnknown);
}
