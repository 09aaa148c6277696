import { excludes, isOthers, type MetadataRules } from "./metadata-keys.ts";
import type { Mirror } from "./mirror.ts";
import type { Service, StringMap } from "../../kubernetes/objects/objects.ts";
import { annotation, label } from "./vocabulary.ts";

/**
 * What mirrors take over of an exported Service's labels and annotations (linkerd-behaviour.md
 * 2.6, 2.7). Three differences from Linkerd: `group/*` excludes the keys of exactly that group;
 * other controllers' keys stay behind; and `multicluster.linkerd.io/` keys of the target, which say
 * how the target itself discovers a Service, never reach the source.
 */

export function copiedLabels(service: Service, link: MetadataRules): StringMap {
  return pick(
    service.metadata.labels,
    (key) =>
      !key.startsWith("mirror.linkerd.io") &&
      !key.startsWith("multicluster.linkerd.io/") &&
      !isOthers(key, link) &&
      !excludes(link.excludedLabels, key),
  );
}

export function copiedAnnotations(service: Service, link: MetadataRules): StringMap {
  return pick(
    service.metadata.annotations,
    (key) =>
      key === annotation.opaquePorts ||
      (!key.startsWith("multicluster.linkerd.io/") &&
        !isOthers(key, link) &&
        !excludes(link.excludedAnnotations, key)),
  );
}

/** The labels by which a mirror is known as this link's, and nobody else's. */
export function ownerLabels(target: string): StringMap {
  return { [label.mirrored]: "true", [label.cluster]: target };
}

/** The opaque ports alone: what a proxy must know of a mirror that copies nothing else. */
export function opaquePorts(service: Service): StringMap {
  return pick(service.metadata.annotations, (key) => key === annotation.opaquePorts);
}

/**
 * What the exclusions hold back of an exported Service, for whoever has to judge a live mirror's
 * keys; nothing where there are no exclusions.
 */
export function withheld(service: Service, link: MetadataRules): Pick<Mirror, "withheld"> {
  const { excludedLabels, excludedAnnotations } = link;
  if (excludedLabels.length + excludedAnnotations.length === 0) return {};
  const { labels, annotations } = service.metadata;
  return {
    withheld: {
      labels: {
        patterns: excludedLabels,
        values: pick(labels, (key) => excludes(excludedLabels, key)),
      },
      annotations: {
        patterns: excludedAnnotations,
        values: pick(annotations, (key) => excludes(excludedAnnotations, key)),
      },
    },
  };
}

function pick(map: StringMap = {}, wanted: (key: string) => boolean): StringMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => wanted(key)));
}
