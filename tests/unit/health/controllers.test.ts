import { singleController, singleFederation } from "../../../engine/health/checks/controllers.ts";
import type { Result } from "../../../engine/base/result.ts";
import type { Controller } from "../../../engine/model/controller.ts";
import { clusterView, east, linkView, mesh, reading, tellsOf, unread } from "./views.ts";

const controller: Controller = {
  namespace: "linkerd-multicluster",
  name: "controller-west",
  target: "west",
  replicas: 1,
  ready: 1,
};
const skipped = ["skipped: the Deployments of cluster east can't be read"];
const withControllers = (...value: readonly Controller[]) => ({
  ...reading(east),
  controllers: { value },
});

describe("health of a link: one program mirrors it", () => {
  const tells = tellsOf(singleController);
  const of = (mirroring: "pulumi" | "controller", ...controllers: readonly Controller[]) =>
    linkView({ mirroring, source: withControllers(...controllers) });
  const rival =
    "warning: Deployment east/linkerd-multicluster/controller-west also mirrors this link, so both write the same mirrors: remove it (its entry in controllers of the chart linkerd-multicluster, or its own chart linkerd-multicluster-link), or leave the link to it (mirroring: controller, and with manage: mirrors take the link out of the config)";
  const stopped = { ...controller, replicas: 0, ready: 0 };
  const unready = { ...controller, ready: 0 };
  const ofNorth = { ...controller, target: "north" };

  tells(
    "passes with a controller of another link or a stopped one",
    of("pulumi", ofNorth, stopped),
  );
  tells("passes with Linkerd's controller for mirroring: controller", of("controller", controller));
  // It writes mirrors once its pod is ready.
  tells("warns of Linkerd's controller beside this program", of("pulumi", unready), [rival]);
  const mirrorsOnly = { mesh: mesh({ manage: "mirrors" }), source: withControllers(controller) };
  tells("warns of it with manage: mirrors, too", linkView(mirrorsOnly), [rival]);
  tells("fails with mirroring: controller and no controller", of("controller", ofNorth), [
    "error: cluster east has no controller for Link west, so nothing mirrors it: add it to controllers of the chart linkerd-multicluster, or remove mirroring: controller from the link",
  ]);
  for (const idle of [unready, stopped])
    tells("fails with a controller that is not ready or stopped", of("controller", idle), [
      "error: Deployment east/linkerd-multicluster/controller-west has no ready pod, so nothing mirrors this link. Fix: kubectl --context k3d-east --namespace linkerd-multicluster describe deployment controller-west",
    ]);
  const older = { ...controller, name: "linkerd-service-mirror-west" };
  tells("warns of a second controller of Linkerd", of("controller", controller, older), [
    "warning: Deployment east/linkerd-multicluster/controller-west and Deployment east/linkerd-multicluster/linkerd-service-mirror-west both mirror this link: remove all but one",
  ]);
  const forbidden = { ...reading(east), controllers: unread("deployments is forbidden") };
  tells("is skipped if Deployments can't be read", linkView({ source: forbidden }), skipped);
});

describe("health of a cluster: one program writes its federated Services", () => {
  const tells = tellsOf(singleFederation);
  const local: Controller = {
    namespace: "linkerd-multicluster",
    name: "linkerd-local-service-mirror",
    target: undefined,
    replicas: 1,
    ready: 1,
  };
  const beside = (controllers: Result<readonly Controller[]>) =>
    clusterView({ reading: { ...reading(east), controllers } });
  const stopped = { ...local, replicas: 0 };

  tells("passes with a stopped local service mirror", beside({ value: [controller, stopped] }));
  tells("warns of a local service mirror that runs", beside({ value: [local] }), [
    "warning: Deployment east/linkerd-multicluster/linkerd-local-service-mirror also writes federated Services (shop/web-west), and creates them again where this program deletes them: set localServiceMirror.replicas to 0 in the values of the chart linkerd-multicluster, or run kubectl --context k3d-east -n linkerd-multicluster scale deployment linkerd-local-service-mirror --replicas 0",
  ]);
  const { federated: _none, ...without } = clusterView();
  tells("is skipped if the stack federates nothing", without, [
    "skipped: this stack federates nothing into this cluster",
  ]);
  tells("is skipped if Deployments can't be read", beside(unread("forbidden")), skipped);
});
