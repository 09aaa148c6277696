import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { inspect } from "node:util";
import type { Dispatcher } from "undici";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { dispatcherFor, type Route } from "../../../engine/kubernetes/client/dispatcher.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { programVersion } from "../../../engine/base/version.ts";
import { tlsCertificate } from "../trust/certificates.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { errorOf, forEachTest, listError, listing, serviceList } from "./scripted-cluster.ts";

const script = () => serviceList(["a"]);

describe("a connection", () => {
  const { open } = forEachTest();
  const user = { username: "me", password: "of-the-runner" };

  it("by context sends the runner's credentials, the impersonated user and the program's name", async () => {
    const as = { as: "jane", "as-groups": ["a", "b"], "as-user-extra": { scopes: ["x", "y"] } };
    const { received } = await listing(script, { user: { ...user, ...as }, serverPath: "/c-1/" });
    const { headers = {} } = received[0] ?? {};
    equal(received[0]?.url.pathname, "/c-1/api/v1/services");
    match(headers.authorization ?? "", /^Basic /);
    equal(headers["impersonate-group"], "a, b");
    equal(headers["impersonate-extra-scopes"], "x, y");
    equal(headers["user-agent"], programVersion);
    match(programVersion, /^linkerd-multicluster\/\d+\.\d+\.\d+/);
  });

  it("by context and token sends that token and nothing of the runner's", async () => {
    const { kubeconfig, received } = await open(script, { user });
    const to = { context: "k3d-west", kubeconfig, token: "of-the-link" };
    const client = await connect(to, "west");
    await client.list(resources.services);
    await client.close();
    const shown = received.map(({ headers }) => headers.authorization);
    deepEqual(shown, ["Bearer of-the-link"]);
    await rejects(connect({ ...to, context: "none" }, "west"), { name: "KubeconfigError" });
  });

  it("by credentials alone uses nothing of the runner's, and the given dispatcher", async () => {
    const routes: Route[] = [];
    const headers: unknown[] = [];
    // The connections lead to a port where nothing listens.
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
    const client = await connect(to, "west", { environment, dispatcher, time: new VirtualTime() });
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

describe("connections over TLS", () => {
  const tls = tlsCertificate("server");
  const trusting = (name: string) => ({
    "certificate-authority-data": tls.certData,
    "tls-server-name": name,
  });

  it("verify the server's certificate for tls-server-name, and present the user's", async () => {
    const user = tlsCertificate("user");
    const { names } = await listing(script, {
      tls: { ...tls, ca: user.cert, requestCert: true, rejectUnauthorized: true },
      clusterEntry: trusting("west.test"),
      user: { "client-certificate-data": user.certData, "client-key-data": user.keyData },
    });
    equal(names.length, 1);
  });

  it("fail at once if the context does not trust the server", async () => {
    const { error, received, time } = await listError(script, { tls });
    deepEqual([error.kind, error.reason], ["unreachable", "DEPTH_ZERO_SELF_SIGNED_CERT"]);
    match(error.message, /its certificate is self-signed/);
    deepEqual([received.length, time.slept], [0, []]);
  });

  it("fail if the certificate is for another name than tls-server-name", async () => {
    const { error } = await listError(script, { tls, clusterEntry: trusting("east.test") });
    match(error.message, /its certificate is for another host name/);
  });
});
