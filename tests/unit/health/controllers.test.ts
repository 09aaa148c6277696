import { deepEqual, equal, match } from "node:assert/strict";
import {
  controllerRights,
  singleController,
  singleFederation,
} from "../../../engine/health/checks/controllers.ts";
import { controllerQuestions } from "../../../engine/health/controller-questions.ts";
import type { ControllerReading, Read } from "../../../engine/health/view.ts";
import type { Controller } from "../../../engine/mirroring/model/controller.ts";
import { link } from "../fixtures/link.ts";
import {
  clusterView,
  east,
  linkReading,
  linkView,
  mesh,
  outOfReach,
  reading,
  said,
} from "./views.ts";

const controller: Controller = {
  ...{ namespace: "linkerd-multicluster", name: "controller-west", target: "west" },
  ...{ replicas: 1, ready: 1, account: "controller-west" },
};
const unread = ["skipped: the Deployments of cluster east can't be read"];

function found(
  mirroring: "pulumi" | "controller",
  controllers: Read<readonly Controller[]>,
): string[] {
  return said(singleController, linkView({ mirroring, source: { ...reading(east), controllers } }));
}

describe("health of a link: one program mirrors it", () => {
  const rival =
    "warning: Deployment east/linkerd-multicluster/controller-west also mirrors this link, so both write the same mirrors: remove it (its entry in controllers of the chart linkerd-multicluster, or its own chart linkerd-multicluster-link), or leave the link to it (mirroring: controller, and with manage: mirrors take the link out of the config)";

  it("is in order with this program alone, or with Linkerd's controller alone", () => {
    const others = [
      { ...controller, target: "north" },
      { ...controller, replicas: 0, ready: 0 },
    ];
    deepEqual(found("pulumi", { value: [] }), []);
    deepEqual(found("pulumi", { value: others }), []);
    deepEqual(found("controller", { value: [controller] }), []);
  });

  it("warns of a controller that mirrors the link as well, whatever this program manages", () => {
    // That its pod is not ready yet makes it no smaller a rival.
    deepEqual(found("pulumi", { value: [{ ...controller, ready: 0 }] }), [rival]);
    const source = { ...reading(east), controllers: { value: [controller] } };
    deepEqual(said(singleController, linkView({ mesh: mesh({ manage: "mirrors" }), source })), [
      rival,
    ]);
  });

  it("is an error where nothing mirrors a link that is left to Linkerd", () => {
    deepEqual(found("controller", { value: [{ ...controller, target: "north" }] }), [
      "error: cluster east has no controller for Link west, so nothing mirrors it: add it to controllers of the chart linkerd-multicluster, or remove mirroring: controller from the link",
    ]);
    const idle =
      "error: Deployment east/linkerd-multicluster/controller-west has no ready pod, so nothing mirrors this link: check kubectl describe deployment controller-west";
    deepEqual(found("controller", { value: [{ ...controller, ready: 0 }] }), [idle]);
    deepEqual(found("controller", { value: [{ ...controller, replicas: 0, ready: 0 }] }), [idle]);
  });

  it("warns of a second one where it is left to Linkerd", () => {
    const older = { ...controller, name: "linkerd-service-mirror-west" };
    deepEqual(found("controller", { value: [controller, older] }), [
      "warning: Deployment east/linkerd-multicluster/controller-west and Deployment east/linkerd-multicluster/linkerd-service-mirror-west both mirror this link: remove all but one",
    ]);
  });

  it("is skipped where Deployments can't be read", () => {
    deepEqual(found("pulumi", { why: "deployments is forbidden" }), unread);
    deepEqual(said(singleController, linkView({ source: outOfReach })), unread);
  });
});

describe("health of a link: the rights of Linkerd's controller", () => {
  const of = (more: Parameters<typeof linkView>[0]) =>
    said(controllerRights, linkView({ mirroring: "controller", ...more }));
  const withRights = (denied: ControllerReading["denied"]) =>
    of({ reading: linkReading({ controller: { deployment: controller, denied } }) });

  it("are in order where nothing that it needs is denied", () => {
    deepEqual(withRights({ value: [] }), []);
  });

  it("are an error where something is, which names the account and what it lacks", () => {
    deepEqual(withRights({ value: ["create services", "delete endpoints"] }), [
      "error: ServiceAccount east/linkerd-multicluster/controller-west is not allowed to create services, delete endpoints, so Deployment east/linkerd-multicluster/controller-west can't mirror the link: install the chart linkerd-multicluster again, which grants that",
    ]);
  });

  it("are no matter where there is no controller, and skipped where nobody may ask", () => {
    const skipped = (lines: readonly string[]) => {
      equal(lines.length, 1);
      return lines[0] ?? "";
    };
    match(skipped(of({ mirroring: "pulumi" })), /^skipped: this program mirrors the link$/);
    match(skipped(of({})), /^skipped: cluster east has no controller for Link west$/);
    match(skipped(of({ source: outOfReach })), /^skipped: cluster east can't be read$/);
    match(
      skipped(withRights({ why: "it is forbidden" })),
      /can't be asked about: it is forbidden$/,
    );
  });

  it("are what its chart grants, for the Link and the Secret of this link alone", () => {
    const questions = (createNamespaces: boolean) =>
      controllerQuestions(link({ createNamespaces }), "mc").map((each) => {
        const { verb, resource, subresource = "", name = "", namespace = "" } = each;
        return [verb, resource, subresource, name, namespace]
          .filter((part) => part !== "")
          .join(" ");
      });
    const asked = questions(false);
    for (const question of [
      ...["get services", "delete endpoints", "watch namespaces", "watch links mc"],
      ...["get secrets cluster-credentials-west mc", "patch links status mc", "update leases mc"],
    ])
      equal(asked.includes(question), true, question);
    deepEqual(
      questions(true).filter((question) => !asked.includes(question)),
      ["create namespaces"],
    );
  });
});

describe("health of a cluster: one program writes its federated Services", () => {
  const local: Controller = {
    ...{ namespace: "linkerd-multicluster", name: "linkerd-local-service-mirror" },
    ...{ target: undefined, replicas: 1, ready: 1, account: "linkerd-local-service-mirror" },
  };
  const beside = (controllers: Read<readonly Controller[]>) =>
    said(singleFederation, clusterView({ reading: { ...reading(east), controllers } }));

  it("is in order without a local service mirror, or with one that is scaled to zero", () => {
    deepEqual(beside({ value: [controller] }), []);
    deepEqual(beside({ value: [{ ...local, replicas: 0 }] }), []);
  });

  it("warns of a local service mirror, and says how to stop it", () => {
    deepEqual(beside({ value: [local] }), [
      "warning: Deployment east/linkerd-multicluster/linkerd-local-service-mirror also writes federated Services (shop/web-west), and creates them again where this program deletes them: set localServiceMirror.replicas to 0 in the values of the chart linkerd-multicluster, or run kubectl --context k3d-east -n linkerd-multicluster scale deployment linkerd-local-service-mirror --replicas 0",
    ]);
  });

  it("is no matter where nothing is federated, and skipped where Deployments can't be read", () => {
    const { federated: _none, ...without } = clusterView();
    const nothing = ["skipped: this stack federates nothing into this cluster"];
    deepEqual(said(singleFederation, without), nothing);
    deepEqual(beside({ why: "forbidden" }), unread);
  });
});
