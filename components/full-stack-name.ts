import * as pulumi from "@pulumi/pulumi";

/** Two organizations may have stacks of the same name. */
export function fullStackName(): string {
  return `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
}
