import assert from "node:assert/strict";
import { join } from "node:path";

import { execa } from "execa";

import { repository } from "../bed/stack.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";

const lacking = await lackingForMesh("linkerd");
const skipNote = skipNoteOf(lacking);

const page = `<!DOCTYPE html>
<html>
<head>
<title>Welcome to nginx!</title>
<style>
    body {
        width: 35em;
        margin: 0 auto;
        font-family: Tahoma, Verdana, Arial, sans-serif;
    }
</style>
</head>
<body>
<h1>Welcome to nginx!</h1>
<p>If you see this page, the nginx web server is successfully installed and
working. Further configuration is required.</p>

<p>For online documentation and support please refer to
<a href="http://nginx.org/">nginx.org</a>.<br/>
Commercial support is available at
<a href="http://nginx.com/">nginx.com</a>.</p>

<p><em>Thank you for using nginx.</em></p>
</body>
</html>`;

/** The end of each command, and the output that the guide shows. */
const guide: readonly (readonly [string, string])[] = [
  [
    "context=east get pods",
    `NAME                    READY   STATUS        RESTARTS   AGE
curl-56dc7d945d-96r6p   2/2     Running       0          7s`,
  ],
  [
    "context=west get services",
    `NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
kubernetes   ClusterIP   10.43.0.1    <none>        443/TCP   10m
nginx-svc    ClusterIP   None         <none>        80/TCP    8s`,
  ],
  [
    "context=west get pods",
    `NAME          READY   STATUS    RESTARTS   AGE
nginx-set-0   2/2     Running   0          53s
nginx-set-1   2/2     Running   0          43s
nginx-set-2   2/2     Running   0          36s`,
  ],
  ["nginx-set-0.nginx-svc.default.svc.west.cluster.local", page],
  ["label service nginx-svc mirror.linkerd.io/exported=true", "service/nginx-svc labeled"],
  [
    "context=east get services",
    `NAME               TYPE        CLUSTER-IP      EXTERNAL-IP   PORT(S)   AGE
kubernetes         ClusterIP   10.43.0.1       <none>        443/TCP   20h
nginx-svc-west     ClusterIP   None            <none>        80/TCP    29s
nginx-set-0-west   ClusterIP   10.43.179.60    <none>        80/TCP    29s
nginx-set-1-west   ClusterIP   10.43.218.18    <none>        80/TCP    29s
nginx-set-2-west   ClusterIP   10.43.245.244   <none>        80/TCP    29s`,
  ],
  ["nginx-set-0.nginx-svc-west.default.svc.east.cluster.local", page],
  [
    "diagnostics endpoints bb-federated.mc-demo.svc.west.cluster.local:8080",
    `NAMESPACE IP PORT POD SERVICE
mc-demo 10.42.0.108 8080 bb-85f9bbc898-j7fbq bb.mc-demo
mc-demo 10.23.1.43 8080 bb-7d9f44c6fd-9s848 bb.mc-demo
mc-demo 10.23.0.42 8080 bb-74c6c64948-j5drn bb.mc-demo`,
  ],
];

for (const by of ["pulumi up", "linkerd-clusters watch"] as const)
  describe(`Linkerd's guides, typed line by line on real nodes, with ${by}${skipNote}`, function () {
    this.timeout("20m");

    const outputs: { readonly command: string; readonly output: string }[] = [];

    before(async function () {
      if (lacking.length > 0) return this.skip();
      const words = [join(repository, "scripts/run.mjs"), "scripts/demo.ts", "seeds"];
      if (by !== "pulumi up") words.push("--watch");
      const { stdout } = await execa(process.execPath, words, { cwd: repository });
      const lines = stdout.split("\n").map((line) => line.replace(/^ {3}/, ""));
      for (const part of lines.join("\n").split(/\n\$ /).slice(1)) {
        const [command = "", ...output] = part
          .split(/\n\n(?:\d+\. |That took |On west's node|The watch did )/, 1)
          .join()
          .split("\n");
        outputs.push({ command, output: output.join("\n").trim() });
      }
      for (const [time] of stdout.matchAll(/The watch did .*/g)) console.log(`      ${time}`);
    });

    it("nothing else is typed to change the mesh", () => {
      const typed = outputs.map(({ command }) => command.replace(/ --.*/, ""));
      const runs = typed.filter((each) => /^(pulumi|linkerd-clusters) /.test(each));
      // Once it runs, the watch needs no further command.
      assert.deepEqual(runs, by === "pulumi up" ? [by, by, by] : [by]);
    });

    for (const [command, expected] of guide)
      it(`${command} prints what the guide shows`, () => {
        assert.deepEqual(comparable(outputOf(command)), comparable(expected));
      });

    it("a gateway mirror answers where nothing of its target but the gateway can be reached", () => {
      const direct = outputs.filter(({ command }) => command.includes("-w '%{http_code}'"));
      assert.deepEqual(
        direct.map(({ output }) => output),
        ["200", "000"],
      );
      const commands = outputs.map(({ command }) => command);
      const [admits, ends] = ["nft -f only-gateway.nft", "nft delete table inet only_gateway"].map(
        (each) => commands.indexOf(each),
      );
      const asks = commands.findIndex((each) => each.endsWith("svc.east.cluster.local"));
      assert.ok((admits ?? -1) >= 0 && (admits ?? -1) < asks && asks < (ends ?? -1));
    });

    it("the endpoints of the headless Service and of its mirror have the pods' names", () => {
      const hostnames = ["nginx-set-0", "nginx-set-1", "nginx-set-2"];
      for (const name of ["west get endpoints nginx-svc", "east get endpoints nginx-svc-west"]) {
        const found = [...outputOf(`${name} -o yaml`).matchAll(/hostname: (\S+)/g)];
        assert.deepEqual(
          found.map(([, each]) => each),
          hostnames,
        );
      }
    });

    it("the federated Service is there, and both Links have mirrored it", () => {
      const services = outputOf("-n mc-demo get svc");
      assert.match(services, /^bb-federated +ClusterIP +\S+ +<none> +8080\/TCP +\S+$/m);
      for (const target of ["east", "north"]) {
        const output = outputOf(`get link/${target} -ojsonpath='{.status.federatedServices}'`);
        const [status] = JSON.parse(output) as [Record<string, unknown>];
        assert.deepEqual(status["remoteRef"], reference("bb"));
        const [condition = {}] = status["conditions"] as Record<string, unknown>[];
        const { lastTransitionTime, ...rest } = condition;
        assert.match(String(lastTransitionTime), /^\d{4}-/);
        assert.deepEqual(rest, {
          localRef: reference("bb-federated"),
          message: "",
          reason: "Mirrored",
          status: "True",
          type: "Mirrored",
        });
      }
    });

    it("pods of all clusters answer, with what the guide shows", () => {
      const answer =
        /^\{"requestUID":"in:http-sid:terminus-grpc:-1-h1:8080-\d+","payload":"hello from (\w+)\\n"\}$/;
      const lines = outputOf("logs deploy/traffic -c traffic")
        .split("\n")
        .filter((line) => line !== "");
      const clusters = lines.flatMap((line) => answer.exec(line)?.[1] ?? []);
      assert.deepEqual([...new Set(clusters)].sort(), ["east", "north", "west"]);
      assert.ok(clusters.length >= lines.length - 5, lines.join("\n"));
    });

    function outputOf(end: string): string {
      const found = outputs.filter(({ command }) => command.endsWith(end));
      assert.equal(found.length, 1, end);
      return found[0]?.output ?? "";
    }
  });

const reference = (name: string): object => ({
  group: "",
  kind: "Service",
  name,
  namespace: "mc-demo",
});

/**
 * Returns the lines of an output, sorted, without addresses, ages, the random ends of pods' names and the widths of
 * columns. Newer versions of nginx have another style in their page.
 */
function comparable(output: string): readonly string[] {
  return output
    .replaceAll(/^"|"$|<style>.*?<\/style>\n/gs, "")
    .replaceAll(/\b\d+\.\d+\.\d+\.\d+\b/g, "ADDRESS")
    .replaceAll(/-[0-9a-z]{8,10}-[0-9a-z]{5}\b/g, "-POD")
    .replaceAll(/ +\d+[smhd]\S*$/gm, " AGE")
    .replaceAll(/ +/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .sort();
}
