; What is refused, in which words and under which condition.

(throw_statement
  [(new_expression constructor: (_) @error.name arguments: (arguments . (_)? @error.message))
   (call_expression function: (_) @error.name arguments: (arguments . (_)? @error.message))]) @error

(if_statement
  condition: (parenthesized_expression (_) @error.condition)
  consequence: [
    (throw_statement
      [(new_expression constructor: (_) @error.name) (call_expression function: (_) @error.name)]) @error
    (statement_block
      (throw_statement
        [(new_expression constructor: (_) @error.name) (call_expression function: (_) @error.name)]) @error)])
