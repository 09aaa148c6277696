import { testSentences } from "./table.ts";

const labelKey =
  'a label key: at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, optionally prefixed with a DNS name and "/"';
const labelValue =
  'a label value: empty, or at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends';
const labels = "links[0].selector.matchLabels";
const terms = "links[0].selector.matchExpressions";
const map = "a map of matchLabels, matchExpressions";

/** Kubernetes validates `metav1.LabelSelector` in the same way. */
describe("stack config: selectors", () => {
  testSentences(`
# labels written without their key
link: { selector: { app: a } }
! links[0].selector.app is not a key of a selector; the keys are matchLabels, matchExpressions.

# labels are fine
link: { selector: { matchLabels: { A: "", a.b/c_D.e-f: X_1.y } } }

# a label value that YAML reads as true
link: { selector: { matchLabels: { mirror.linkerd.io/exported: true } } }
! ${labels}["mirror.linkerd.io/exported"] is true; it must be ${labelValue}, in quotes.

# invalid label values
link: { selector: { matchLabels: { a: -b, c: ${"d".repeat(64)} } } }
! ${labels}.a is "-b"; it must be ${labelValue}.
! ${labels}.c is "${"d".repeat(60)}…"; it must be ${labelValue}.

# invalid label keys
link: { selector: { matchLabels: { a b: "", A.com/b: "", a/: "" } } }
! ${labels}["a b"] has the key "a b"; it must be ${labelKey}.
! ${labels}["A.com/b"] has the key "A.com/b"; it must be ${labelKey}.
! ${labels}["a/"] has the key "a/"; it must be ${labelKey}.

# expressions are fine
link:
  selector:
    matchExpressions:
      - { key: a, operator: In, values: [b, ""] }
      - { key: a, operator: NotIn, values: [c] }
      - { key: a.b/c, operator: Exists }
      - { key: d, operator: DoesNotExist, values: [] }

# In and NotIn without values
link: { selector: { matchExpressions: [{ key: a, operator: In }, { key: a, operator: NotIn, values: [] }] } }
! ${terms}[0].values is missing; it must be a list of at least one label value, as the operator is In.
! ${terms}[1].values is an empty list; it must be a list of at least one label value, as the operator is NotIn.

# Exists and DoesNotExist with values
link:
  selector:
    matchExpressions:
      - { key: a, operator: Exists, values: [b] }
      - { key: a, operator: DoesNotExist, values: [b] }
! ${terms}[0].values is a list; it must be left out, as the operator is Exists.
! ${terms}[1].values is a list; it must be left out, as the operator is DoesNotExist.

# every mistake of one expression
link: { selector: { matchExpressions: [{ key: /a, operator: In, value: b }, 5] } }
! ${terms}[0].key is "/a"; it must be ${labelKey}.
! ${terms}[0].value is not a key of a match expression; the nearest key is values.
! ${terms}[0].values is missing; it must be a list of at least one label value, as the operator is In.
! ${terms}[1] is 5; it must be a map of key, operator, values.

# values and operators of other types
link:
  selector:
    matchExpressions:
      - { key: a, operator: Gt, values: ["1"] }
      - { key: a, operator: In, values: [1, b c] }
      - { key: a, operator: In, values: b }
      - {}
! ${terms}[0].operator is "Gt"; it must be In, NotIn, Exists or DoesNotExist.
! ${terms}[1].values[0] is 1; it must be ${labelValue}, in quotes.
! ${terms}[1].values[1] is "b c"; it must be ${labelValue}.
! ${terms}[2].values is "b"; it must be a list of label values.
! ${terms}[3].key is missing; it must be ${labelKey}.
! ${terms}[3].operator is missing; it must be In, NotIn, Exists or DoesNotExist.

# mistakes in each of the three selectors
link: { selector: 1, remoteDiscoverySelector: 2, federatedServiceSelector: 3 }
! links[0].selector is 1; it must be ${map}.
! links[0].remoteDiscoverySelector is 2; it must be ${map}.
! links[0].federatedServiceSelector is 3; it must be ${map}.
`);
});
