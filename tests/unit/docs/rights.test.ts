import { deepEqual } from "node:assert/strict";
import { roles } from "../../../scripts/rights.ts";
import { rbacName, resources } from "../../../engine/kubernetes/objects/resources.ts";

describe("the runner's rights", () => {
  it("cover every kind that the client knows, except reviews of them, which need none", () => {
    const kinds = roles.flatMap(({ rules }) => rules).flatMap((rule) => rule[2]);
    const listed = new Set(kinds.map(({ apiVersion, plural }) => `${apiVersion}/${plural}`));
    const missing = Object.values(resources).filter(
      ({ apiVersion, plural }) => !listed.has(`${apiVersion}/${plural}`),
    );
    deepEqual(
      missing.map((each) => rbacName(each)),
      ["selfsubjectaccessreviews.authorization.k8s.io"],
    );
  });
});
