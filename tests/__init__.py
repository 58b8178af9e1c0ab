"""Which file notices what.

| a wrong ... | is noticed by |
|---|---|
| value of a definition or an option | test_oracle, test_golden, test_invariants |
| answer of a definition to the rest of the package | test_rules |
| order of ties, top k, nDCG | test_ties, test_top_k, test_ndcg |
| point, sort, rounding, huge or tiny number | test_points, test_extremes |
| reading of arrays, columns, groups | test_columns, test_groups |
| 0/0, its warning, a mean | test_undefined, test_invariants |
| refusal | test_refusals, one call a row |
| name of a metric, and options that it holds | test_names |
| signature, docstring without a parameter | test_signatures |
| difference from scikit-learn | test_sklearn, test_sklearn_own_tests (slow) |
| scorer, or a consumer of one | test_scorers, test_scoring_tools |
| array on a device, Spark DataFrame | test_on_device, test_on_spark |
| deviation, resample, random ranking, cluster | test_variation |
| end of an interval, p, verdict | test_method, by formulas; test_inference, by calls |
| curve, interval, threshold, fold, picture, file | test_ and the name of the module |
| forest plot | test_forest |
| file of types, version | test_packaging; wheel_types for an installed wheel |
| early stopping; simulated payments | test_boosting; test_displays |
| explanation, identification, audit | test_where, test_audit |
| what peers.toml says of a tool | test_tools, by what the tool returned |
| definition, mistake, or change of data that these know | test_definitions, test_transforms |
| order of rows, table, JSON, place of a warning, parameter without effect | test_every_function |

`oracle` has the definitions in fractions, without a line of the package. `cases` draws random calls
of metrics by hypothesis, and `random_calls` of every public function from a seed. `python -m
tests.mutants` changes the package, and lists what no test notices. `python -m tests.optional_parts`
takes parts of the package away, and runs the tests of the rest. For 13 times as many
examples, pass `--hypothesis-profile thorough`.
"""
