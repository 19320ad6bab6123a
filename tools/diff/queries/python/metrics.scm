; Metrics that a service gives to Prometheus: `Counter(name="…", documentation="…")`, `Gauge("…", "…")`.

(call
  arguments: (argument_list
    (keyword_argument name: (identifier) @_name value: (string) @metric.name)
    (keyword_argument name: (identifier) @_documentation))
  (#eq? @_name "name")
  (#eq? @_documentation "documentation")) @metric

(call
  function: (_) @_call
  arguments: (argument_list . (string) @metric.name . [(string) (concatenated_string)])
  (#match? @_call "(^|[.])(Counter|Gauge|Histogram|Summary)$")) @metric
