import { isWrite, mark, requestsOf } from "../audit.ts";
import { copyOfEndpoints, copyOfService, mirrored } from "./bare-writes.ts";
import { type Figure, seconds } from "./figure.ts";
import { exportsOf } from "./mesh.ts";
import { gateway, withExports } from "./pair.ts";
import { Writer } from "./writer.ts";

/** `destroy` of mirrors that go through a gateway, and of as many like them by a bare client. */
export function measureDestroy(mirrors: number): Promise<readonly Figure[]> {
  const services = exportsOf(mirrors, "true");
  return withExports({ services, mirrors, link: { gateway } }, async ({ bed, stack }) => {
    const { east } = bed.clusters;
    await stack.pulumi("up", "--yes", "--skip-preview");
    const writer = new Writer(east);
    const copies = (await writer.list(mirrored)).map(copyOfService);
    const endpoints = (await writer.listEndpoints(mirrored)).map(copyOfEndpoints);
    const before = await mark(east);
    const whole = await seconds(() => stack.pulumi("destroy", "--yes", "--skip-preview"));
    const deletions = (await requestsOf(before, "linkerd-multicluster/")).filter(isWrite);
    const began = Math.min(...deletions.map(({ received }) => received));
    const ended = Math.max(...deletions.map(({ answered }) => answered));
    await writer.create(copies);
    await writer.createEndpoints(endpoints);
    const value = await seconds(() =>
      writer.deleteEach(copies.map(({ metadata }) => metadata.name)),
    );
    await writer.close();
    const against = { what: "bare deletions", value };
    const what = `${mirrors} gateway mirrors`;
    return [
      { row: "destroy", what: `${what}: whole destroy`, value: whole, unit: "s", against },
      {
        ...{ row: "destroy", what: `${what}: from the first deletion to the last` },
        ...{ value: (ended - began) / 1000, unit: "s", against },
      },
    ];
  });
}
