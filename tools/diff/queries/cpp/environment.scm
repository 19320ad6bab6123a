; Environment variables that are read: getenv, std::getenv and functions of a project that are named after it.

(call_expression
  function: [(identifier) @_call (_ name: (_) @_call)]
  arguments: (argument_list . (string_literal) @env.name . (_)? @env.default)
  (#match? @_call "(?i)get\\w*env")) @env
