// `pulumi-resource-linkerd-multicluster` starts this process.
import * as pulumi from "@pulumi/pulumi";
import { serveAsPlugin } from "../engine-resource.ts";
import manifest from "../../engine/package.json" with { type: "json" };
import { MeshProvider } from "./provider.ts";

const args = process.argv.slice(2);
// Pulumi shows no output of a plugin, which must send it to the engine. The SDK knows the engine's address, the first
// argument, only once a component is created, and `destroy` creates none.
const engine = args.find((each) => !each.startsWith("-"));
if (engine !== undefined) pulumi.runtime.resetOptions("", "", -1, engine, "", false, "");

serveAsPlugin();
await pulumi.provider.main(new MeshProvider(manifest.version), args);
// This comes only now, because the plugin has to print its port on the original console first.
console.log = (line: string) => {
  // The run does not depend on this message, so a failure to send it is ignored.
  pulumi.log.info(line).catch(() => undefined);
};
