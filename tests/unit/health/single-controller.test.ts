import { deepEqual } from "node:assert/strict";
import { singleController } from "../../../engine/health/checks/single-controller.ts";
import type { Controller } from "../../../engine/mirroring/observe/controllers.ts";
import type { Read } from "../../../engine/health/view.ts";
import { east, linkView, outOfReach, reading, said } from "./views.ts";

const controller: Controller = {
  ...{ namespace: "linkerd-multicluster", name: "controller-west", target: "west" },
  ...{ replicas: 1, ready: 1 },
};

function found(
  mirroring: "pulumi" | "controller",
  controllers: Read<readonly Controller[]>,
): string[] {
  return said(singleController, linkView({ mirroring, source: reading(east, { controllers }) }));
}

describe("health of a link: one program mirrors it", () => {
  it("is in order with this program alone, or with Linkerd's controller alone", () => {
    const others = [
      { ...controller, target: "north" },
      { ...controller, replicas: 0, ready: 0 },
    ];
    deepEqual(found("pulumi", { value: [] }), []);
    deepEqual(found("pulumi", { value: others }), []);
    deepEqual(found("controller", { value: [controller] }), []);
  });

  it("names a controller that mirrors the link as well", () => {
    // That its pod is not ready yet makes it no smaller a rival.
    deepEqual(found("pulumi", { value: [{ ...controller, ready: 0 }] }), [
      "warning: Deployment east/linkerd-multicluster/controller-west also mirrors this link, so both write the same mirrors: remove it (its entry in controllers of the chart linkerd-multicluster, or its own chart linkerd-multicluster-link), or set mirroring: controller on the link",
    ]);
  });

  it("says that nothing mirrors a link that is left to Linkerd", () => {
    deepEqual(found("controller", { value: [{ ...controller, target: "north" }] }), [
      "warning: cluster east has no controller for Link west, so nothing mirrors it: add it to controllers of the chart linkerd-multicluster, or remove mirroring: controller from the link",
    ]);
    deepEqual(found("controller", { value: [{ ...controller, ready: 0 }] }), [
      "warning: Deployment east/linkerd-multicluster/controller-west has no ready pod, so nothing mirrors this link: check kubectl describe deployment controller-west",
    ]);
  });

  it("is skipped where Deployments can't be read", () => {
    const skipped = ["skipped: the Deployments of cluster east can't be read"];
    deepEqual(found("pulumi", { why: "deployments is forbidden" }), skipped);
    deepEqual(said(singleController, linkView({ source: outOfReach })), skipped);
  });
});
