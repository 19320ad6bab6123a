; llama.cpp: `add_opt(common_arg({"-x", "--name"}, "N", "help", handler).set_env("NAME"))`

(call_expression
  function: (identifier) @_call
  arguments: (argument_list
    . (initializer_list (string_literal) @flag.name .)
    [(string_literal) (concatenated_string)]? @flag.help)
  (#eq? @_call "common_arg")) @flag

(call_expression
  function: (field_expression field: (field_identifier) @_call)
  arguments: (argument_list . (string_literal) @env.name .)
  (#eq? @_call "set_env")) @env
