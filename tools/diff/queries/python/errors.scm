; What is refused, in which words and under which condition.

(raise_statement (call function: (_) @error.name arguments: (argument_list . (_)? @error.message))) @error

(if_statement
  condition: (_) @error.condition
  consequence: (block
    (raise_statement (call function: (_) @error.name arguments: (argument_list . (_)? @error.message))) @error))

(assert_statement "assert" @error.name . (_) @error.condition . (_)? @error.message) @error
