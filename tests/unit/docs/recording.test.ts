import { deepEqual, match } from "node:assert/strict";
import { excerptOf, pictureOf, textsIn } from "../../../examples/demo/recording.ts";

const mirror = "default/nginx-set-0-west";
const output = `6. Look at east
   $ kubectl --context east get services -A

7. Scale the StatefulSet
   Why.

   $ kubectl --context west scale statefulset nginx-set --replicas 5
8. Preview the change
   $ pulumi preview --diff
   <${Array.from({ length: 6 }, () => mirror).join(" ")}>
9. Apply it
   $ pulumi up --yes --skip-preview
   Duration: 4s

   $ kubectl --context east get services -A
`;
const picture = pictureOf(excerptOf(output));

describe("the recording of the demo", () => {
  it("shows the drift and its repair, with long lines wrapped", () => {
    deepEqual(textsIn(picture), [
      "Scale the StatefulSet",
      "   Why.",
      "   $ kubectl --context west scale statefulset nginx-set --replicas 5",
      "Preview the change",
      "   $ pulumi preview --diff",
      `   <${mirror} ${mirror} ${mirror} ${mirror}`,
      `     ${mirror} ${mirror}>`,
      "Apply it",
      "   $ pulumi up --yes --skip-preview",
      "   Duration: 4s",
    ]);
  });

  it("is never empty, and moves only for viewers who want that", () => {
    match(picture, /<text class="command" y="[\d.]+">/);
    match(picture, /animation-duration:12s/);
    match(picture, /prefers-reduced-motion:reduce/);
  });
});
