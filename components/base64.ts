import * as pulumi from "@pulumi/pulumi";

/**
 * A text as a Secret's `data` holds it; what is secret stays so. Not `stringData`: the provider
 * keeps `data` in state, so that each change would look like one key taken away and another added.
 */
export function base64(text: pulumi.Input<string>): pulumi.Output<string> {
  return pulumi.output(text).apply((plain) => Buffer.from(plain).toString("base64"));
}
