// The process of the Pulumi package: `pulumi-resource-linkerd-multicluster` starts it.
import * as pulumi from "@pulumi/pulumi";
import manifest from "../engine/package.json" with { type: "json" };
import { MeshProvider } from "./provider.ts";

await pulumi.provider.main(new MeshProvider(manifest.version), process.argv.slice(2));
