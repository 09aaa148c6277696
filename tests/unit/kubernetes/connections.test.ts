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
import { tlsCertificate } from "../trust/certificates.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { errorOf, forEachTest, listError, listing, serviceList } from "./scripted-cluster.ts";

const script = () => serviceList(["a"]);

describe("a connection", () => {
  const { open } = forEachTest();
  const user = { username: "me", password: "of-the-runner" };

  it("by context sends the runner's credentials and the program's name", async () => {
    const { received } = await listing(script, { user });
    match(received[0]?.headers.authorization ?? "", /^Basic /);
    equal(received[0]?.headers["user-agent"], programVersion);
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

  it("sends every group and extra value of an impersonated user", async () => {
    const as = { as: "jane", "as-groups": ["a", "b"], "as-user-extra": { scopes: ["x", "y"] } };
    const { received } = await listing(script, { user: { token: "t", ...as } });
    const headers = received[0]?.headers ?? {};
    equal(headers["impersonate-group"], "a, b");
    equal(headers["impersonate-extra-scopes"], "x, y");
  });

  it("keeps the path in the server's URL", async () => {
    const { received } = await listing(script, { serverPath: "/k8s/clusters/c-1/" });
    equal(received[0]?.url.pathname, "/k8s/clusters/c-1/api/v1/services");
  });
});

describe("connections over TLS", () => {
  const trusting = ({ certData }: ReturnType<typeof tlsCertificate>, name?: string) => ({
    "certificate-authority-data": certData,
    ...(name !== undefined && { "tls-server-name": name }),
  });

  it("verify the server's certificate and present the user's", async () => {
    const [tls, user] = [tlsCertificate("server"), tlsCertificate("user")];
    const { names } = await listing(script, {
      tls: { ...tls, ca: user.cert, requestCert: true, rejectUnauthorized: true },
      clusterEntry: trusting(tls),
      user: { "client-certificate-data": user.certData, "client-key-data": user.keyData },
    });
    equal(names.length, 1);
  });

  it("fail if the context does not trust the server, even with NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
    const tls = tlsCertificate("server");
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      const { error, received, time } = await listError(script, { tls });
      equal(error.kind, "unreachable");
      equal(error.reason, "DEPTH_ZERO_SELF_SIGNED_CERT");
      match(error.message, /its certificate is self-signed/);
      deepEqual([received.length, time.slept], [0, []]);
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  it("check the server's name against tls-server-name", async () => {
    const tls = tlsCertificate("server");
    const { names } = await listing(script, { tls, clusterEntry: trusting(tls, "west.test") });
    equal(names.length, 1);
    const { error } = await listError(script, { tls, clusterEntry: trusting(tls, "east.test") });
    match(error.message, /its certificate is for another host name/);
  });
});
