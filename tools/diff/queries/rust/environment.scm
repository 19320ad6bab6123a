; Environment variables that are read, with what stands in for them.

(call_expression
  function: (scoped_identifier) @_call
  arguments: (arguments . (string_literal) @env.name)
  (#match? @_call "(^|::)env::var(_os)?$")) @env

(call_expression
  function: (field_expression
    value: (call_expression
      function: (scoped_identifier) @_call
      arguments: (arguments . (string_literal) @env.name))
    field: (field_identifier) @_or)
  arguments: (arguments . (_) @env.default)
  (#match? @_call "(^|::)env::var(_os)?$")
  (#match? @_or "^unwrap_or(_else)?$")) @env

(macro_invocation
  macro: (identifier) @_macro
  (token_tree . (string_literal) @env.name)
  (#any-of? @_macro "env" "option_env")) @env

; clap: #[arg(env = "NAME")]
(attribute_item
  (attribute
    (identifier) @_arg
    arguments: (token_tree (identifier) @_env . "=" . (string_literal) @env.name))
  (#any-of? @_arg "arg" "clap")
  (#eq? @_env "env")) @env
