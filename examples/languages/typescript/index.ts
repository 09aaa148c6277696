import { Config } from "@pulumi/pulumi";
import { Mesh } from "linkerd-multicluster";

const settings = new Config();

// A cluster of the same program gives its kubeconfig as an output just so.
const cluster = (name: string) => ({ kubeconfig: settings.requireSecret(name) });

export const { mirrors, notMirrored, trustAnchors } = new Mesh("mesh", {
  manage: settings.require("manage"),
  clusters: { west: cluster("west"), east: cluster("east") },
  links: [{ source: "east", target: "west" }],
});
