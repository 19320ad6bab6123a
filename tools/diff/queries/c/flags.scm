; Options of the command line: gflags, absl.

(call_expression
  function: (identifier) @_call
  arguments: (argument_list . (identifier) @flag.name . (_) @flag.default . (_) @flag.help)
  (#match? @_call "^DEFINE_(bool|int32|uint32|int64|uint64|double|string)$")) @flag

(call_expression
  function: (identifier) @_call
  arguments: (argument_list . (_) . (identifier) @flag.name . (_) @flag.default . (_) @flag.help)
  (#eq? @_call "ABSL_FLAG")) @flag
