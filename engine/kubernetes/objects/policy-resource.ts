import { anything, list, map, type Of } from "./checks.ts";
import { anyText, object } from "./objects.ts";

const reference = map({ group: anyText, kind: anyText, name: anyText, namespace: anyText });

export const authorizationPolicy = object({
  spec: map({ targetRef: reference, requiredAuthenticationRefs: list(reference) }),
});
export type AuthorizationPolicy = Of<typeof authorizationPolicy>;

export const server = object({ spec: map({ accessPolicy: anyText }) });
export type Server = Of<typeof server>;

export const serverAuthorization = object({
  spec: map({ server: map({ name: anyText, selector: anything }) }),
});
export type ServerAuthorization = Of<typeof serverAuthorization>;

export const meshTlsAuthentication = object({ spec: map({ identities: list(anyText) }) });
export type MeshTlsAuthentication = Of<typeof meshTlsAuthentication>;
