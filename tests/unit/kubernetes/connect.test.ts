import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { inspect } from "node:util";
import { connect } from "../../../engine/kubernetes/connect.ts";
import {
  type Dispatcher,
  dispatcherFor,
  type Route,
} from "../../../engine/kubernetes/dispatcher.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { programVersion } from "../../../engine/version.ts";
import { errorOf, FakeTime, serviceList, withCluster } from "./scripted-cluster.ts";

/** Connections that lead to a port where nothing listens. */
const redirected = (
  route: Route,
  look: (options: Dispatcher.DispatchOptions) => unknown = () => undefined,
): Dispatcher =>
  dispatcherFor(route).compose((dispatch) => (options, handler) => {
    look(options);
    return dispatch({ ...options, origin: "http://127.0.0.1:1" }, handler);
  });

const user = { username: "me", password: "of-the-runner" };

describe("connect", () => {
  it("with a context, shows the runner's credentials, and the program's name", () =>
    withCluster(
      () => serviceList([]),
      async ({ client, received }) => {
        await client.list(resources.services);
        const [first] = received;
        match(first?.headers.authorization ?? "", /^Basic /);
        equal(first?.headers["user-agent"], programVersion);
        match(programVersion, /^linkerd-multicluster\/\d+\.\d+\.\d+/);
      },
      { user },
    ));

  it("with a context and a token, shows that token and nothing of the runner's", () =>
    withCluster(
      () => serviceList([]),
      async ({ kubeconfig, received }) => {
        const to = { context: "k3d-west", kubeconfig, token: "of-the-link" };
        const client = await connect(to, "west");
        await client.list(resources.services);
        await client.close();
        deepEqual(
          received.map(({ headers }) => headers.authorization),
          ["Bearer of-the-link"],
        );
      },
      { user },
    ));

  it("with credentials alone, needs no kubeconfig and uses nothing of the runner's", async () => {
    const environment = { variables: {}, home: "/nowhere" };
    const routes: Route[] = [];
    const headers: unknown[] = [];
    const dispatcher = (route: Route) => {
      routes.push(route);
      return redirected(route, (options) => headers.push(options.headers));
    };
    const ca = Buffer.from("the authority").toString("base64");
    const server = "https://west.example.com:6443";
    const to = { server, certificateAuthority: ca, tlsServerName: "west", token: "of-the-link" };
    const client = await connect(to, "west", { environment, dispatcher, time: new FakeTime() });
    equal((await errorOf(client.list(resources.services))).kind, "unreachable");
    await client.close();
    const [route] = routes;
    equal(route?.server.href, "https://west.example.com:6443/");
    deepEqual(Object.keys(route.tls).toSorted(), ["ca", "rejectUnauthorized", "servername"]);
    equal(String(route.tls.ca), "the authority");
    equal(route.tls.servername, "west");
    match(inspect(headers[0]), /authorization: 'Bearer of-the-link'/);
  });

  it("with a token, needs the context to be there all the same", () =>
    withCluster(
      () => serviceList([]),
      ({ kubeconfig }) =>
        rejects(connect({ context: "none", kubeconfig, token: "of-the-link" }, "west"), {
          name: "KubeconfigError",
        }),
    ));

  it("sends through the dispatcher that is handed in", () =>
    withCluster(
      () => serviceList([]),
      async ({ client, received }) => {
        const error = await errorOf(client.list(resources.services));
        deepEqual([error.kind, error.reason, received.length], ["unreachable", "ECONNREFUSED", 0]);
      },
      { dispatcher: (route) => redirected(route) },
    ));
});
