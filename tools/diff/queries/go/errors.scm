; What is refused, in which words and under which condition.

(call_expression
  function: (selector_expression operand: (identifier)) @error.name
  arguments: (argument_list . (_) @error.message)
  (#match? @error.name "^(errors[.](New|Errorf)|fmt[.]Errorf)$")) @error

(call_expression
  function: (identifier) @error.name
  arguments: (argument_list . (_) @error.message)
  (#eq? @error.name "panic")) @error

(if_statement
  condition: (_) @error.condition
  consequence: (block (statement_list (return_statement (expression_list
    (call_expression function: (selector_expression) @error.name) @error))))
  (#match? @error.name "^(errors[.](New|Errorf)|fmt[.]Errorf)$"))

(if_statement
  condition: (_) @error.condition
  consequence: (block (statement_list (expression_statement
    (call_expression function: (identifier) @error.name) @error)))
  (#eq? @error.name "panic"))
