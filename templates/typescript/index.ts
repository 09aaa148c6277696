import { Config } from "@pulumi/pulumi";
import { Mesh } from "linkerd-multicluster";

const config = new Config();
const context = (name: string) => ({ context: config.require(name) });

export const { mirrors, notMirrored } = new Mesh("mesh", {
  manage: config.require("manage"),
  clusters: { west: context("west"), east: context("east") },
  links: [{ source: "east", target: "west" }],
});
