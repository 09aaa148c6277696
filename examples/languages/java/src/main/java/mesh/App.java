package mesh;

import com.pulumi.Pulumi;
import com.pulumi.core.Output;
import com.pulumi.linkerdmulticluster.Mesh;
import com.pulumi.linkerdmulticluster.MeshArgs;
import com.pulumi.linkerdmulticluster.inputs.ClusterArgs;
import com.pulumi.linkerdmulticluster.inputs.LinkArgs;
import java.util.List;
import java.util.Map;

public final class App {
  public static void main(String[] args) {
    Pulumi.run(
        context -> {
          var settings = context.config();
          var mesh =
              new Mesh(
                  "mesh",
                  MeshArgs.builder()
                      .manage(settings.require("manage"))
                      .clusters(
                          Map.of(
                              "west", cluster(settings.requireSecret("west")),
                              "east", cluster(settings.requireSecret("east"))))
                      .links(List.of(LinkArgs.builder().source("east").target("west").build()))
                      .build());
          context.export("mirrors", mesh.mirrors());
          context.export("notMirrored", mesh.notMirrored());
          context.export("trustAnchors", mesh.trustAnchors());
        });
  }

  /** A cluster of the same program gives its kubeconfig as an output just so. */
  private static ClusterArgs cluster(Output<String> kubeconfig) {
    return ClusterArgs.builder().kubeconfig(kubeconfig).build();
  }
}
