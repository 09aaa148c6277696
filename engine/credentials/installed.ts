/** Describes by cluster what this stack has installed. A link has the same name in both of its clusters. */
export type Installed = Readonly<Record<string, readonly string[]>>;

interface Parts {
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  /** The values, by cluster with Linkerd, say whether its namespace and issuer are this stack's too. */
  readonly linkerd: ReadonlyMap<string, boolean>;
  readonly links: readonly { readonly source: string; readonly target: string }[];
}

export interface InstalledArgs {
  /** All that this run installs or keeps up to date. */
  readonly wanted: Installed;
  /** Generations of the trust root, whose private keys only the state has. */
  readonly keys: readonly number[];
  readonly areKeysExported: boolean;
  /** This may go from these clusters: it stays there and leaves the state, or is deleted. */
  readonly leaving: Readonly<Record<string, "keep" | "delete">>;
  readonly clusters: readonly string[];
  /** Nothing of these is guarded. */
  readonly revoked: readonly string[];
  readonly links: readonly string[];
  /** This run still writes to these clusters with Pulumi's own provider. */
  readonly live: readonly string[];
  /** The trust was not generated, so the state has none of its keys. */
  readonly trustElsewhere?: true;
}

export interface Memory {
  readonly installed: Installed;
  /** Parts that stay in their cluster when they leave the config. Their releases stay in the state for as long as `leaving` says so. */
  readonly kept: Installed;
  readonly keys: readonly number[];
}

/** State has only what the next run needs, and so nothing of a stack that has installed nothing. */
export interface InstalledInputs {
  readonly memory?: Memory;
  readonly leaving?: InstalledArgs["leaving"];
}

/** Versions without a memory had the checks after a run, or a published trust, in its place. */
export interface Remembering {
  readonly memory?: Memory;
  readonly mesh?: string;
  readonly triggers?: Readonly<Record<string, unknown>>;
  readonly publication?: unknown;
}

export interface JudgedRemoval extends Memory {
  /** This must not go. */
  readonly going: Installed;
  /** What `leaving` may be, by cluster. */
  readonly remedies: InstalledArgs["leaving"];
  readonly lostKeys: readonly number[];
}

const control = "Linkerd with its CRDs";
const issuers = "the namespace and the issuer";

export function installedParts({ linkerd, links, ...namespaces }: Parts): Installed {
  const { linkerdNamespace, multiclusterNamespace } = namespaces;
  const parts = new Map<string, string[]>();
  const add = (cluster: string, ...texts: string[]) =>
    parts.set(cluster, [...(parts.get(cluster) ?? []), ...texts]);
  for (const [cluster, hasIssuer] of linkerd)
    add(
      cluster,
      `${control} in ${linkerdNamespace}`,
      ...(hasIssuer ? [`${issuers} of ${linkerdNamespace}`] : []),
      `the multicluster extension in ${multiclusterNamespace}`,
    );
  for (const link of links)
    for (const cluster of [link.source, link.target])
      add(cluster, `the credentials of link ${pairOf(link)} in ${multiclusterNamespace}`);
  return Object.fromEntries(parts);
}

export function pairOf({ source, target }: Parts["links"][number]): string {
  return `${source} → ${target}`;
}

/** Returns the ends of a link; undefined for all else that a cluster has. */
function endsIn(part: string): readonly string[] | undefined {
  return /^the credentials of link (.+) → (.+) in /.exec(part)?.slice(1);
}

export function hasLinkerd(parts: readonly string[] = []): boolean {
  return parts.some((part) => part.startsWith(control));
}

export function remembered(
  { memory, mesh, triggers = {}, publication }: Remembering,
  args: Pick<InstalledArgs, "keys" | "trustElsewhere">,
): Memory {
  if (memory !== undefined) return memory;
  const known = args.keys.length > 0 ? args.keys : [1];
  if (mesh === undefined)
    return { installed: {}, kept: {}, keys: publication === undefined ? [] : known };
  const { manage, links, ...namespaces } = JSON.parse(mesh) as Pick<
    Parts,
    "linkerdNamespace" | "multiclusterNamespace"
  > & {
    readonly manage: string;
    readonly links: readonly { readonly link: Parts["links"][number] }[];
  };
  // The revision of an installed cluster has the three charts', and the issuer if it is this stack's.
  const linkerd = Object.entries(manage === "all" ? triggers : {})
    .filter(([name]) => !name.includes("/"))
    .map(([name, revision]) => [name, !Array.isArray(revision) || revision.length > 3] as const);
  return {
    installed: installedParts({
      ...namespaces,
      linkerd: new Map(linkerd),
      links: links.map(({ link }) => link),
    }),
    kept: {},
    keys: !args.trustElsewhere && linkerd.some(([, hasIssuer]) => hasIssuer) ? known : [],
  };
}

/** Forgets what may go, before this run removes it. A run that is refused installs and removes nothing. */
export function rememberInstalled(olds: Remembering, args: InstalledArgs): InstalledInputs {
  const before = remembered(olds, args);
  const judged = judgeRemoval(before, args);
  const { installed, kept, keys } = refusedRemoval(judged) === undefined ? judged : before;
  const { leaving } = args;
  const isAny = keys.length > 0 || [installed, kept].some((each) => Object.keys(each).length > 0);
  return {
    ...(isAny && { memory: { installed, kept, keys } }),
    ...(Object.keys(leaving).length > 0 && { leaving }),
  };
}

/**
 * Finds what a run would remove that it was not told to. Removing a link is an ordinary change as long as both of its
 * clusters stay. So is a rotation that drops the keys before the last.
 */
export function judgeRemoval(before: Memory, args: InstalledArgs): JudgedRemoval {
  const { wanted, leaving, clusters, revoked, links, live } = args;
  const going: Record<string, readonly string[]> = {};
  const remedies: Record<string, "keep" | "delete"> = {};
  const kept: Record<string, readonly string[]> = {};
  const isFree = (cluster: string, part: string) => {
    const ends = endsIn(part) ?? [];
    if ([cluster, ...ends].some((name) => revoked.includes(name))) return true;
    if (ends.length === 0 || live.length === 0 || links.includes(ends.join(" → "))) return false;
    return ends.every(
      (end) => clusters.includes(end) || (end !== cluster && leaving[end] !== undefined),
    );
  };
  for (const [cluster, parts] of Object.entries(before.installed)) {
    const wants = wanted[cluster] ?? [];
    const gone = parts.filter((part) => !wants.includes(part) && !isFree(cluster, part));
    // Where this run still writes, it can let go of nothing but a whole Linkerd.
    const staysWhole = (part: string) =>
      !live.includes(cluster) || (endsIn(part) === undefined && !hasLinkerd(wants));
    const refused =
      leaving[cluster] === "delete"
        ? []
        : gone.filter((part) => leaving[cluster] !== "keep" || !staysWhole(part));
    if (refused.length > 0) {
      going[cluster] = refused;
      remedies[cluster] = refused.every(staysWhole) ? "keep" : "delete";
    } else if (leaving[cluster] === "keep" && gone.length > 0) kept[cluster] = gone;
  }
  for (const [cluster, parts] of Object.entries(before.kept))
    if (!hasLinkerd(wanted[cluster])) kept[cluster] ??= parts;
  const lostKeys = before.keys.filter((generation) => {
    const isRotated = [before.keys, args.keys].every((keys) => keys.includes(generation + 1));
    return !args.keys.includes(generation) && !isRotated && !args.areKeysExported;
  });
  return {
    installed: wanted,
    kept,
    keys: args.keys,
    going,
    remedies,
    lostKeys,
  };
}

/** Returns what a run may not remove, and what allows it; undefined if there is nothing. */
export function refusedRemoval({
  going,
  remedies,
  lostKeys,
}: Pick<JudgedRemoval, "going" | "remedies" | "lostKeys">): string | undefined {
  const names = Object.keys(going);
  if (names.length === 0 && lostKeys.length === 0) return undefined;
  const lost = names.map((name) => `cluster ${name}: ${(going[name] ?? []).join("; ")}`);
  if (lostKeys.length > 0)
    lost.push(
      `the state, which alone has them: the private keys of the trust anchor and the issuers (generation ${lostKeys.join(", ")})`,
    );
  const lines = [
    "Nothing is done, because this run would remove what this stack has installed:",
    ...lost,
    "If that is not meant, undo the change of the config (manage, clusters, sources, mesh, trust, or a namespace).",
  ];
  if (names.length > 0)
    lines.push(
      "If it is, set linkerd-multicluster:leaving for one run: with keep, all of it stays in the cluster and leaves the state; with delete, it is deleted, which is the only way where this run still writes to the cluster and wants something else in its place.",
      `Fix: pulumi config set linkerd-multicluster:leaving '${JSON.stringify(remedies)}'`,
    );
  if (lostKeys.length > 0)
    lines.push(
      "Without the keys, nobody can issue an issuer under the anchor that the clusters trust. Export them, keep the file secret, and say so:",
      "Fix: pulumi stack export --show-secrets --file linkerd-trust.json && pulumi config set linkerd-multicluster:trustKeysExported true",
    );
  return lines.join("\n  ");
}
