import { questions } from "../credentials/token-check.ts";
import type { PolicyRule } from "../credentials/state.ts";
import { deniedOf } from "../kubernetes/access-review.ts";
import type { Question } from "../kubernetes/objects/objects.ts";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import type { Clusters } from "./clusters.ts";
import { isBug } from "../user-error.ts";
import type { Trial } from "./reading.ts";
import { credentialsIn } from "../credentials/kubeconfig.ts";

export interface TrialContext {
  /** The cluster that the credentials are for. */
  readonly target: string;
  /** UID of its Service default/kubernetes, which every cluster has. */
  readonly uid: string | undefined;
  /** The rights that the credentials have to have. */
  readonly rules: readonly PolicyRule[];
}

/**
 * Uses the kubeconfig as Linkerd would. Its token goes to the server that it names and nowhere else, and no part of it
 * is in what is returned.
 */
export async function tryCredentials(
  text: string,
  { target, uid, rules }: TrialContext,
  clusters: Pick<Clusters, "connect">,
): Promise<Trial> {
  const found = credentialsIn(text);
  if ("why" in found) return { outcome: "unusable", rule: found.why };
  const { value: credentials } = found;
  const server = new URL(credentials.server).origin;
  let client: Kubernetes | undefined;
  try {
    client = await clusters.connect(credentials, target);
    const [itsUid, denied] = await Promise.all([uidOf(client), deniedOf(asked(rules), client)]);
    if (uid !== undefined && itsUid !== undefined && itsUid !== uid)
      return { outcome: "elsewhere", server };
    return { outcome: "accepted", server, denied };
  } catch (error) {
    if (isBug(error)) throw error;
    if (!(error instanceof KubernetesError))
      return { outcome: "refused", server, why: "they can't be used to connect" };
    const { kind, detail = "it does not say why" } = error;
    if (kind === "unreachable" && farCodes.has(error.reason ?? ""))
      return { outcome: "outOfReach", server, why: detail };
    const why = kind === "unauthorized" ? "the token is rejected" : detail;
    return { outcome: "refused", server, why };
  } finally {
    await client?.close();
  }
}

/** With these codes, nothing answers at the other end of a connection. */
const farCodes = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"],
  ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_ABORTED"],
]);

async function uidOf(client: Kubernetes): Promise<string | undefined> {
  try {
    const at = { namespace: "default", name: "kubernetes" };
    return (await client.find(resources.services, at))?.metadata.uid;
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "forbidden") return undefined;
    throw error;
  }
}

/**
 * Returns the rights to ask for: all verbs on services, as in check 4 of Linkerd (linkerd-behaviour.md 8), and `list` on the
 * rest.
 */
function asked(rules: readonly PolicyRule[]): Question[] {
  return questions(rules).filter(
    ({ verb, resource }) => verb === "list" || resource === "services",
  );
}
