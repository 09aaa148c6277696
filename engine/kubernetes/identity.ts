/** What the program could learn of who a cluster is: the UID of its namespace `kube-system`. */
export type Identities = ReadonlyMap<string, string | undefined>;

/**
 * Clusters of the stack that are one and the same, each in a sentence: other contexts, even other
 * kubeconfigs, can lead to one API server. Those that can't be reached are left out.
 */
export function sameClusters(identities: Identities): string[] {
  const first = new Map<string, string>();
  return [...identities].flatMap(([name, uid]) => {
    if (uid === undefined) return [];
    const other = first.get(uid);
    if (other === undefined) {
      first.set(uid, name);
      return [];
    }
    return [
      `linkerd-multicluster:clusters.${name} leads to the same cluster as linkerd-multicluster:clusters.${other} (its kube-system has UID ${uid}): each cluster must be given once.`,
    ];
  });
}
