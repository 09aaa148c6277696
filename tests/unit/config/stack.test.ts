import { deepEqual, throws } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { valuesIn } from "../../../config/parse.ts";
import { stackConfig } from "../../../config/stack.ts";

const project = "linkerd-multicluster";

describe("stack config: read from Pulumi", () => {
  afterEach(() => {
    pulumi.runtime.setAllConfig({});
  });

  it("parses maps and lists as JSON and words as text, and ignores empty keys and other projects", () => {
    const texts = {
      [`${project}:clusters`]: '{"west":{"context":"k3d-west"}}',
      [`${project}:links`]: "[]",
      [`${project}:topology`]: '{"hub":"west"}',
      [`${project}:manage`]: "mirrors",
      [`${project}:sources`]: "",
      [`${project}:linkerdNamespace`]: "1234",
      [`${project}:toplogy`]: "mesh",
      "kubernetes:context": "elsewhere",
    };
    deepEqual(valuesIn(texts), {
      clusters: { west: { context: "k3d-west" } },
      links: [],
      topology: { hub: "west" },
      manage: "mirrors",
      sources: null,
      linkerdNamespace: "1234",
      toplogy: "mesh",
    });
  });

  it("returns the config", () => {
    pulumi.runtime.setAllConfig({ [`${project}:clusters`]: '{"west":null}' });
    deepEqual([...stackConfig().clusters.keys()], ["west"]);
  });

  it("refuses a key whose prefix is nearly this program's, because its links would be gone", () => {
    pulumi.runtime.setAllConfig({
      [`${project}:clusters`]: '{"west":null}',
      "linkerd-multi-cluster:links": "[]",
      "linkerd-multicluster-watch:interval": "5",
      "kubernetes:clusters": "elsewhere",
    });
    throws(() => stackConfig(), {
      message:
        "The stack config needs a change:\n  linkerd-multi-cluster:links has no effect: write linkerd-multicluster:links.",
    });
  });

  it("throws every mistake at once, broken JSON among them", () => {
    pulumi.runtime.setAllConfig({
      [`${project}:clusters`]: "{west",
      [`${project}:toplogy`]: "mesh",
    });
    throws(() => stackConfig(), {
      name: "Error",
      message: [
        "The stack config needs a change:",
        "linkerd-multicluster:toplogy is not a key of this program's config; the nearest key is topology.",
        'linkerd-multicluster:clusters is "{west"; it must be a map of clusters by name.',
      ].join("\n  "),
    });
  });
});
