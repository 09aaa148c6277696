import { either, list, map, type Of, text, texts, wholeNumber } from "./checks.ts";
import { anyText, object, word } from "./objects.ts";

/** Linkerd's policies for the requests that come to pods (`charts/linkerd-crds` of linkerd2). */

const requirement = map({ key: anyText, operator: word, values: list(anyText) }, [
  "key",
  "operator",
]);
const reference = map({ group: anyText, kind: word, name: anyText, namespace: anyText }, [
  "kind",
  "name",
]);

export const server = object({
  spec: map({
    podSelector: map({ matchLabels: texts(), matchExpressions: list(requirement) }),
    port: either(wholeNumber(1, 65_535), text("a port")),
    /** Whom it lets in that no policy does; nobody where it is left out. */
    accessPolicy: word,
  }),
});

export const authorizationPolicy = object({
  spec: map({ targetRef: reference, requiredAuthenticationRefs: list(reference) }),
});

export const meshTlsAuthentication = object({
  spec: map({ identities: list(anyText), identityRefs: list(reference) }),
});

export type Server = Of<typeof server>;
export type AuthorizationPolicy = Of<typeof authorizationPolicy>;
export type MeshTlsAuthentication = Of<typeof meshTlsAuthentication>;
