; Environment variables that are read, with what they are when they are not set. What code sets is left out later.

(call
  function: (_) @_call
  arguments: (argument_list . (string) @env.name . (_)? @env.default)
  (#match? @_call "(^|[.])(getenv|environ[.]get|env_(bool|int|str|float|list))$")) @env

; Helpers of a project that read a variable: `env_with_choices("NAME", default)`, `get_bool_env_var("NAME")`.
; One that speaks of a variable reads none: `warn_deprecated_env("OLD_NAME", "NEW_NAME")`.
(call
  function: (_) @_helper
  arguments: (argument_list . (string) @env.name . (_)? @env.default)
  (#match? @_helper "(^|[._])env(_|$)")
  (#not-match? @_helper "(^|[._])env_(bool|int|str|float|list)$")
  (#not-match? @_helper "print|warn|deprecat")
  (#match? @env.name "^[\"'][A-Z][A-Z0-9]*_[A-Z0-9_]+[\"']$")) @env

; A table of variables, each read by a helper under the name that it has there: `"NAME": lazy_bool("NAME")`.
(pair
  key: (string) @env.name
  value: (call arguments: (argument_list . (string) @_read . (_)? @env.default))
  (#eq? @env.name @_read)
  (#match? @env.name "^[\"'][A-Z][A-Z0-9]*_[A-Z0-9_]+[\"']$")) @env

(subscript
  value: (_) @_environ
  subscript: (string) @env.name
  (#match? @_environ "(^|[.])environ$")) @env

(comparison_operator
  . (string) @env.name
  (_) @_environ .
  (#match? @_environ "(^|[.])environ$")) @env

; Classes that declare their variables as fields: `NAME = EnvBool(False)`.
(class_definition
  body: (block
    (expression_statement
      (assignment
        left: (identifier) @env.name
        right: (call function: (identifier) @_maker arguments: (argument_list . (_)? @env.default))) @env))
  (#match? @_maker "^Env[A-Z][A-Za-z]*$")
  (#match? @env.name "^[A-Z][A-Z0-9]+_"))
