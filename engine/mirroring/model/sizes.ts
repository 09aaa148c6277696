import { bounds } from "../../kubernetes/objects/bounds.ts";
import type { ServicePort, StringMap } from "../../kubernetes/objects/objects.ts";

/** What of a Service, mirror or not, decides how large it is. */
export interface Sized {
  readonly labels?: StringMap | undefined;
  readonly annotations?: StringMap | undefined;
  readonly ports?: readonly ServicePort[] | undefined;
}

/** In what a Service is larger than a mirror may be, as a clause about it and what to do; undefined: in nothing. */
export function excess({ labels, annotations, ports = [] }: Sized): string | undefined {
  if (ports.length > bounds.ports.most)
    return `it has ${inWords(ports.length)} ports and a mirror has at most ${inWords(bounds.ports.most)}: divide it into several Services`;
  const count = copied(labels).length;
  if (count > bounds.labels.most)
    return `it has ${inWords(count)} labels and a mirror has at most ${inWords(bounds.labels.most)}: leave some out with excludedLabels on the link`;
  const length = characters(labels) + characters(annotations);
  if (length > bounds.metadata.most)
    return `its labels and annotations have ${inWords(length)} characters and those of a mirror at most ${inWords(bounds.metadata.most)}: leave some out with excludedLabels and excludedAnnotations on the link`;
  return undefined;
}

/** Without what makes it a mirror. */
function copied(map: StringMap = {}): [string, string][] {
  return Object.entries(map).filter(
    ([key]) => !/^(?:mirror|multicluster)\.linkerd\.io\//.test(key),
  );
}

export function characters(map: StringMap | undefined): number {
  return copied(map).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
}

export function inWords(number: number): string {
  return number.toLocaleString("en");
}
