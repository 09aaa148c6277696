import { testScenarios } from "../../fixtures/scenario.ts";

const both = `west: demo/bb(member)
north: demo/bb(member)`;
const joined = `${both}
+ federated demo/bb-federated`;
const nobody = `west: nothing
north: nothing`;
const mirrored = "mirror.linkerd.io/mirrored-service=true";

describe("federated Services", () => {
  testScenarios(`
# stay if nothing differs, and list their members in one line
${joined}
= demo/bb-federated: federated Service of bb@west, bb@north: http 80→8080/TCP
again
none
# are deleted with their last member
${joined}
${nobody}
- federated demo/bb-federated
# are listed only while they have a member of this stack
west: nothing; east: demo/bb(fed=bb@other)
/ federated demo/bb-federated: nobody
west: demo/bb(member)
~ federated demo/bb-federated: annotation remote-discovery: "bb@other" → "bb@other,bb@west"
= demo/bb-federated: federated Service of bb@other, bb@west
west: nothing
~ federated demo/bb-federated: annotation remote-discovery: "bb@other,bb@west" → "bb@other"
again
/ federated demo/bb-federated: nobody
# lose a selector even if Kubernetes created Endpoints from it
${joined}
edit demo/bb-federated: { spec: { selector: { app: bb } } }
east: demo/bb-federated(endpoints _ ${mirrored})
~ federated demo/bb-federated: selector
`);
});

describe("a Service with the name of a federated one", () => {
  const foreign = {
    "somebody's own": "demo/bb-federated(plain)",
    "one with a list and without Linkerd's label":
      "demo/bb-federated(plain @multicluster.linkerd.io/remote-discovery=bb@x)",
    "one with Linkerd's label and without a list": `demo/bb-federated(plain ${mirrored})`,
    "a mirror of some cluster": "demo/bb-federated(of=federated)",
    "only Endpoints": "demo/bb-federated(endpoints)",
  };
  for (const [what, object] of Object.entries(foreign))
    testScenarios(`
# is left alone: ${what}
${both}
east: ${object}
! NotOurs demo/bb: east already has ${what === "a mirror of some cluster" ? "cluster federated's mirror, the Service" : what === "only Endpoints" ? "a foreign Endpoints" : "a foreign Service"} demo/bb-federated: rename or delete it, or rename what is exported
${nobody}
none
`);

  testScenarios(`
# is waited for while it is being deleted
${both}
east: demo/bb(fed=bb@x going)
! BeingDeleted demo/bb
= demo/bb-federated: federated Service of bb@x
# must have that name: one that looks federated under another name is foreign
${nobody}
east: demo/everywhere(plain ${mirrored} @multicluster.linkerd.io/remote-discovery=bb@west)
none
`);
});
