import { anything, list, map, type Of } from "./checks.ts";
import { anyText, count, object, port } from "./objects.ts";

const routeFields = { group: anyText, kind: anyText, name: anyText, namespace: anyText };
const parentRefs = list(map({ ...routeFields, port }));

export const otherRoute = object({ spec: map({ parentRefs }) });
export type OtherRoute = Of<typeof otherRoute>;

/** The program writes none of these, and only finds that somebody else has. */
const filters = list(anything);
const conditionsOfMatch = { method: anyText, headers: list(anything), queryParams: list(anything) };
const matches = list(map({ path: map({ type: anyText, value: anyText }), ...conditionsOfMatch }));
const backendRefs = list(map({ ...routeFields, port, weight: count, filters }));

const conditions = list(map({ type: anyText, status: anyText }));
const parents = list(map({ controllerName: anyText, conditions }));

export const httpRoute = object({
  spec: map({
    parentRefs,
    hostnames: list(anyText),
    rules: list(map({ matches, backendRefs, filters, timeouts: anything })),
  }),
  status: map({ parents }),
});
export type HttpRoute = Of<typeof httpRoute>;
