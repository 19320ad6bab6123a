; Options of the command line: argparse, click, typer, absl.

(call
  function: (_) @_call
  arguments: (argument_list . (string) . (string) @flag.name)
  (#match? @_call "(^|[.])add_argument$")
  (#match? @flag.name "^.--")) @flag

(call
  function: (_) @_call
  arguments: (argument_list . (string) @flag.name)
  (#match? @_call "(^|[.])(add_argument|option)$")
  (#match? @flag.name "^.--")) @flag

(call
  function: (_) @_call
  arguments: (argument_list . (string) . (string) @flag.name)
  (#match? @_call "(^|[.])option$")
  (#match? @flag.name "^.--")) @flag

(call
  function: (_) @_call
  arguments: (argument_list (_) (string) @flag.name)
  (#match? @_call "(^|[.])Option$")
  (#match? @flag.name "^.--")) @flag

(call
  function: (_) @_call
  arguments: (argument_list (string) @flag.name (keyword_argument name: (identifier) @_key value: (_) @flag.default))
  (#match? @_call "(^|[.])(add_argument|option)$")
  (#match? @flag.name "^.--")
  (#eq? @_key "default")) @flag

(call
  function: (_) @_call
  arguments: (argument_list (string) @flag.name (keyword_argument name: (identifier) @_key value: (_) @flag.choices))
  (#match? @_call "(^|[.])(add_argument|option)$")
  (#match? @flag.name "^.--")
  (#any-of? @_key "choices" "type")
  (#match? @flag.choices "^(\\[|\\(|click[.]Choice)")) @flag

(call
  function: (_) @_call
  arguments: (argument_list (string) @flag.name (keyword_argument name: (identifier) @_key value: (_) @flag.help))
  (#match? @_call "(^|[.])(add_argument|option)$")
  (#match? @flag.name "^.--")
  (#eq? @_key "help")) @flag

; absl and gflags: flags.DEFINE_integer("name", default, "help")
(call
  function: (_) @_call
  arguments: (argument_list . (string) @flag.name . (_) @flag.default . (_)? @flag.help)
  (#match? @_call "(^|[.])DEFINE_[a-z_]+$")) @flag
