import assert from "node:assert/strict";
import { chmod, cp, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import getPort from "get-port";

import { debian, Images } from "../../scripts/release/images.ts";
import { notOnPath } from "../bed/path.ts";
import { until } from "../bed/processes.ts";
import { newStack, type PulumiStack, repository } from "../bed/stack.ts";
import { servicesIn } from "../e2e/mirroring/view.ts";
import { exportedService } from "../e2e/mirroring/objects.ts";
import { bedWithGateway, create, type SharedBed } from "../e2e/mirroring/shared-bed.ts";
import { documents } from "../unit/examples/files.ts";

const namespace = "operated";
const lacking = [
  ...(process.getuid?.() === 0 ? [] : ["it runs as root alone"]),
  ...(await notOnPath(["buildah", "podman", "runc", "mmdebstrap", "systemd-nspawn"])),
];
const title = `examples/watch, operated${lacking.length === 0 ? "" : `, skipped: ${lacking.join("; ")}`}`;

interface Started extends PromiseLike<unknown> {
  kill(signal: "SIGTERM"): boolean;
}

/** The parts of the manifest that podman can follow. */
interface PodSpec {
  readonly hostname: string;
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly containers: readonly [
    {
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string; readonly value: string }[];
      readonly volumeMounts: readonly {
        readonly name: string;
        readonly mountPath: string;
        readonly readOnly?: boolean;
      }[];
      readonly readinessProbe: { readonly httpGet: { readonly path: string } };
    },
  ];
}

/**
 * Podman runs the image of the Dockerfile as the Deployment says, and a machine that systemd has booted runs the
 * program under the unit. Not every machine can pull images, so their bases are Debian's by mmdebstrap with this
 * machine's Node, and the bed's build of Pulumi.
 */
describe(title, function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: PulumiStack;
  let folder: string;
  let images: Images;
  let volumes: string;
  /** These are stopped even if a test fails. */
  const started: Started[] = [];

  before(async function () {
    if (lacking.length > 0) return this.skip();
    shared = await bedWithGateway(namespace);
    const { bed } = shared;
    // Podman accepts no long paths.
    folder = await mkdtemp("/tmp/operated-");
    await chmod(folder, 0o755);
    images = new Images(folder);
    volumes = join(folder, "volumes");
    const links = [{ source: "east", target: "west" }];
    const config = { manage: "mirrors", clusters: { west: {}, east: {} }, links };
    stack = await newStack(bed, "prod", config);
    await madeContext();
    // With manage: mirrors, no plugin is needed.
    images.build(join(folder, "context"), "localhost/mesh-watch", await images.standIns());
  });

  after(async () => {
    for (const each of started) each.kill("SIGTERM");
    await Promise.allSettled(started);
    if (lacking.length === 0) images.delete();
  });

  it("runs as an image by its manifest, read-only and unprivileged, and ends on SIGTERM", async () => {
    const { kube, bed } = shared;
    const manifests = documents("watch/kubernetes.yaml") as {
      kind: string;
      spec: { template: { spec: PodSpec } };
    }[];
    const pod = manifests.find(({ kind }) => kind === "Deployment")?.spec.template.spec;
    assert.ok(pod);
    const [container] = pod.containers;
    const { runAsUser, runAsGroup } = pod.securityContext;
    const state = join(bed.folder, "pulumi-state");
    const port = await getPort();
    await volume("kubeconfig", { config: await readFile(bed.kubeconfig, "utf8") });
    await volume("passphrase", { passphrase: String(bed.settings["PULUMI_CONFIG_PASSPHRASE"]) });
    await volume("state", {});
    await owned(state, runAsUser);
    const variables = container.env.map(({ name, value }) => {
      return `${name}=${name === "PULUMI_BACKEND_URL" ? "file:///backend" : value}`;
    });
    const words = container.args.map((word) => word.replace("0.0.0.0:9464", `127.0.0.1:${port}`));
    const mounts = container.volumeMounts.flatMap(({ name, mountPath, readOnly = false }) =>
      name === "tmp"
        ? ["--tmpfs", `${mountPath}:rw,mode=1777`]
        : ["--volume", `${join(volumes, name)}:${mountPath}:${readOnly ? "ro" : "rw"}`],
    );
    const run = podman(
      ...["run", "--rm", "--name", "watch-prod", "--pull", "never", "--runtime", "runc"],
      // The bed's API servers are at this machine's loopback address.
      ...["--network", "host", "--hostname", pod.hostname],
      // Limits can't be higher than this machine's own.
      ...["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"],
      ...["--user", `${runAsUser}:${runAsGroup}`, "--read-only", "--read-only-tmpfs=false"],
      ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
      ...variables.flatMap((each) => ["--env", each]),
      ...mounts,
      ...["--volume", `${state}:/backend`],
      ...["localhost/mesh-watch", ...words],
    );
    started.push(run);
    await mirrors("web", run);
    const { status } = await fetch(
      `http://127.0.0.1:${port}${container.readinessProbe.httpGet.path}`,
    );
    assert.equal(status, 200);
    await podman("stop", "--time", "120", "watch-prod");
    const { exitCode, stdout } = await run;
    assert.equal(exitCode, 0);
    assert.match(stdout, /"event":"runEnded","command":"up"/);
    assert.deepEqual(await servicesIn(kube.east, namespace), ["web-west"]);
  });

  it("runs by its unit under systemd, and stops with the machine", async () => {
    const { bed } = shared;
    const machine = join(folder, "machine");
    debian(machine, ["systemd", "systemd-sysv", "dbus", "ca-certificates"]);
    const files = images.buildah(
      "mount",
      images.buildah("from", "--pull-never", "localhost/mesh-watch"),
    );
    await cp(join(files, "program"), join(machine, "opt/linkerd-multicluster"), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await cp(join(files, "pulumi/bin"), join(machine, "opt/pulumi"), { recursive: true });
    await cp(process.execPath, join(machine, "usr/local/bin/node"));
    const unit = "linkerd-multicluster-watch@.service";
    await cp(join(repository, "examples/watch", unit), join(machine, "etc/systemd/system", unit));
    const chrooted = (...words: readonly string[]) => execa("chroot", [machine, ...words]);
    // examples/watch/README.md says the same.
    const user = "linkerd-multicluster";
    await chrooted("useradd", "--system", "--home-dir", "/opt/linkerd-multicluster", user);
    await chrooted("systemctl", "enable", "linkerd-multicluster-watch@prod");
    const { stdout: uid } = await chrooted("id", "--user", user);
    const own = join(machine, "etc/linkerd-multicluster");
    // The unit may write only there.
    const backend = "/var/lib/linkerd-multicluster/backend";
    await mkdir(join(machine, backend), { recursive: true });
    const state = join(bed.folder, "pulumi-state");
    await mkdir(own);
    await cp(bed.kubeconfig, join(own, "config"));
    await writeFile(join(own, "passphrase"), String(bed.settings["PULUMI_CONFIG_PASSPHRASE"]));
    await owned(own, Number(uid));
    await owned(state, Number(uid));
    await writeFile(
      join(own, "prod.env"),
      `KUBECONFIG=/etc/linkerd-multicluster/config\nPULUMI_BACKEND_URL=file://${backend}\n` +
        "PULUMI_CONFIG_PASSPHRASE_FILE=/etc/linkerd-multicluster/passphrase\n",
      { mode: 0o600 },
    );
    const logs = join(machine, "var/log/journal");
    await mkdir(logs, { recursive: true });
    const journal = async () => {
      const words = ["--directory", logs, "--output", "cat"];
      return (await execa("journalctl", words, { reject: false })).stdout;
    };
    const boot = execa(
      "systemd-nspawn",
      [
        ...["--quiet", "--boot", "--directory", machine, "--register", "no", "--keep-unit"],
        ...["--console", "pipe", "--bind", `${state}:${backend}`, "--machine", "operated"],
      ],
      // The machine needs time to shut down.
      { reject: false, stdin: "ignore", forceKillAfterDelay: 60_000 },
    );
    started.push(boot);
    await mirrors("api", boot, journal);
    boot.kill("SIGTERM");
    await boot;
    const said = await journal();
    assert.match(said, /"event":"runEnded","command":"up"/);
    assert.match(said, /linkerd-multicluster-watch@prod\.service: Deactivated successfully/);
  });

  /** Exports a Service, and waits until a watch has mirrored it, while `process` runs. */
  async function mirrors(
    name: string,
    process: Started,
    said: () => Promise<string> = () => Promise.resolve(""),
  ): Promise<void> {
    const { kube } = shared;
    await create(kube.west, exportedService(`${namespace}/${name}`));
    let end: string | undefined;
    process.then(
      (result) => (end = JSON.stringify(result)),
      (error: unknown) => (end = String(error)),
    );
    const program = { problem: () => end && `it has ended: ${end}` };
    const isThere = async () =>
      (await servicesIn(kube.east, namespace)).includes(`${name}-west`) || undefined;
    await until(`${name} to be mirrored`, [program], isThere, 180).catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${await said()}`);
    });
  }

  /** Copies this repository, with a stack file next to Pulumi.yaml. */
  async function madeContext(): Promise<void> {
    const context = join(folder, "context");
    for (const path of [
      ...["package.json", "package-lock.json", ".npmrc", "index.ts", "Pulumi.yaml"],
      ...["tsconfig.json", "cli", "components", "config", "engine"],
    ])
      await cp(join(repository, path), join(context, path), {
        recursive: true,
        filter: (file) => !file.includes("node_modules"),
      });
    const { PULUMI_OPTION_CONFIG_FILE = "" } = stack.settings;
    await cp(PULUMI_OPTION_CONFIG_FILE, join(context, "Pulumi.prod.yaml"));
  }

  function podman(...words: readonly string[]) {
    const options = { reject: words[0] !== "run", all: true } as const;
    return execa("podman", [...images.store, "--cgroup-manager", "cgroupfs", ...words], options);
  }

  /** Creates a volume with these files, which only the user of the container can read. */
  async function volume(name: string, files: Readonly<Record<string, string>>): Promise<void> {
    const path = join(volumes, name);
    await mkdir(path, { recursive: true });
    for (const [file, text] of Object.entries(files))
      await writeFile(join(path, file), text, { mode: 0o400 });
    await owned(path, 1000);
  }

  async function owned(path: string, user: number): Promise<void> {
    await execa("chown", ["--recursive", `${user}:${user}`, path]);
  }
});
