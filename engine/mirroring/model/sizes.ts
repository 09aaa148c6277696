import { bounds } from "../../kubernetes/objects/bounds.ts";
import type { ServicePort, StringMap } from "../../kubernetes/objects/objects.ts";

interface Sized {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly ports: readonly ServicePort[] | undefined;
}

/**
 * Returns in what respect a Service is too large for a mirror, and what to do, as a clause; undefined if it isn't.
 */
export function excess({ labels, annotations, ports = [] }: Sized): string | undefined {
  if (ports.length > bounds.ports.most)
    return `it has ${inWords(ports.length)} ports and a mirror has at most ${inWords(bounds.ports.most)}: divide it into several Services`;
  for (const [what, map, key] of [
    ["labels", labels, "excludedLabels"],
    ["annotations", annotations, "excludedAnnotations"],
  ] as const) {
    const count = Object.keys(map).length;
    if (count > bounds[what].most)
      return `it has ${inWords(count)} ${what} and a mirror has at most ${inWords(bounds[what].most)}: leave some out with ${key} on the link`;
  }
  const entries = [...Object.entries(labels), ...Object.entries(annotations)];
  const size = Buffer.byteLength(entries.flat().join(""));
  if (size > bounds.metadata.most)
    return `its labels and annotations have ${inWords(size)} bytes and those of a mirror at most ${inWords(bounds.metadata.most)}: leave some out with excludedLabels and excludedAnnotations on the link`;
  return undefined;
}

export function inWords(number: number): string {
  return number.toLocaleString("en");
}
