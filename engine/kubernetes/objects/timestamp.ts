/** Returns a time as Kubernetes writes it, in whole seconds. */
export function timestamp(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, "Z");
}
