import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { inspect } from "node:util";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import {
  type Dispatcher,
  dispatcherFor,
  type Route,
} from "../../../engine/kubernetes/client/dispatcher.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { programVersion } from "../../../engine/version.ts";
import { errorOf, FakeTime, listing, serviceList, withCluster } from "./scripted-cluster.ts";

const user = { username: "me", password: "of-the-runner" };

describe("connect", () => {
  it("with a context, shows the runner's credentials, and the program's name", async () => {
    const { received } = await listing(() => serviceList([]), { user });
    const [first] = received;
    match(first?.headers.authorization ?? "", /^Basic /);
    equal(first?.headers["user-agent"], programVersion);
    match(programVersion, /^linkerd-multicluster\/\d+\.\d+\.\d+/);
  });

  it("with a context and a token, shows that token and nothing of the runner's", () =>
    withCluster(
      () => serviceList([]),
      async ({ kubeconfig, received }) => {
        const to = { context: "k3d-west", kubeconfig, token: "of-the-link" };
        const client = await connect(to, "west");
        await client.list(resources.services);
        await client.close();
        const shown = received.map(({ headers }) => headers.authorization);
        deepEqual(shown, ["Bearer of-the-link"]);
        const none = connect({ ...to, context: "none" }, "west");
        await rejects(none, { name: "KubeconfigError" });
      },
      { user },
    ));

  it("with credentials alone, uses nothing of the runner's, and the dispatcher that is handed in", async () => {
    const routes: Route[] = [];
    const headers: unknown[] = [];
    /** Connections that lead to a port where nothing listens. */
    const dispatcher = (route: Route): Dispatcher => {
      routes.push(route);
      return dispatcherFor(route).compose((dispatch) => (options, handler) => {
        headers.push(options.headers);
        return dispatch({ ...options, origin: "http://127.0.0.1:1" }, handler);
      });
    };
    const certificateAuthority = Buffer.from("the authority").toString("base64");
    const server = "https://west.example.com:6443";
    const to = { server, certificateAuthority, tlsServerName: "west", token: "of-the-link" };
    const environment = { variables: {}, home: "/nowhere" };
    const client = await connect(to, "west", { environment, dispatcher, time: new FakeTime() });
    equal((await errorOf(client.list(resources.services))).reason, "ECONNREFUSED");
    await client.close();
    const [route] = routes;
    equal(route?.server.href, "https://west.example.com:6443/");
    deepEqual(
      { ...route.tls, ca: String(route.tls.ca) },
      { ca: "the authority", rejectUnauthorized: true, servername: "west" },
    );
    match(inspect(headers[0]), /authorization: 'Bearer of-the-link'/);
  });
});
