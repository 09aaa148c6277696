// The process of the Pulumi package: `pulumi-resource-linkerd-multicluster` starts it.
import * as pulumi from "@pulumi/pulumi";
import manifest from "../engine/package.json" with { type: "json" };
import { MeshProvider } from "./provider.ts";

const args = process.argv.slice(2);
// Pulumi shows what a dynamic provider prints, but not what a plugin does: that is to be sent to the engine, whose
// address comes first. The SDK knows it only once a component is made, and `destroy` makes none.
const engine = args.find((each) => !each.startsWith("-"));
if (engine !== undefined) pulumi.runtime.resetOptions("", "", -1, engine, "", false, "");

await pulumi.provider.main(new MeshProvider(manifest.version), args);
// From now on, as it has printed its port.
console.log = (line: string) => {
  // A message that does not get through changes nothing.
  pulumi.log.info(line).catch(() => undefined);
};
