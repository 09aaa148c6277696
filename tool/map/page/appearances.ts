import type {
  FederatedPicture,
  LinkPicture,
  MirrorPicture,
  NotMirroredPicture,
  Picture,
} from "../picture.ts";

/** Where a Service of one name appears, in whichever clusters it is. */
export interface Appearances {
  /** `namespace/name`. */
  readonly service: string;
  readonly mirrored: { readonly link: LinkPicture; readonly mirror: MirrorPicture }[];
  readonly notMirrored: { readonly link: LinkPicture; readonly why: NotMirroredPicture }[];
  readonly united: FederatedPicture[];
}

/** Every Service that a link or a federated Service is about, by its `namespace/name`. */
export function appearancesIn({ links, federated }: Picture): ReadonlyMap<string, Appearances> {
  const all = new Map<string, Appearances>();
  const at = (service: string): Appearances => {
    const there = all.get(service);
    if (there !== undefined) return there;
    const made = { service, mirrored: [], notMirrored: [], united: [] };
    all.set(service, made);
    return made;
  };
  for (const link of links) {
    for (const mirror of link.mirrors) at(mirror.service).mirrored.push({ link, mirror });
    for (const why of link.notMirrored) at(why.service).notMirrored.push({ link, why });
  }
  for (const union of federated)
    for (const service of new Set(union.members.map((member) => member.service)))
      at(service).united.push(union);
  return all;
}
