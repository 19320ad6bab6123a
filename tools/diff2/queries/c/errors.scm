; What is refused: macros named after CHECK or ASSERT, with the checked expression and the first words of the message.

(call_expression
  function: (identifier) @error.name
  arguments: (argument_list . (_) @error.condition [(string_literal) (concatenated_string)]? @error.message)
  (#match? @error.name "^([A-Z0-9_]*(CHECK|ASSERT)[A-Z0-9_]*|assert)$")) @error

; CHECK_EQ(a, b) and CHECK_DIM(2, x) check two.
(call_expression
  function: (identifier) @error.name
  arguments: (argument_list
    . (_) . [(identifier) (number_literal) (call_expression) (field_expression) (binary_expression)] @error.condition)
  (#match? @error.name "^[A-Z0-9_]*(CHECK|ASSERT)_[A-Z0-9_]+$")) @error

; CHECK(a) << "…"
(binary_expression
  left: (call_expression function: (identifier) @error.name)
  right: [(string_literal) (concatenated_string)] @error.message
  (#match? @error.name "^[A-Z0-9_]*(CHECK|ASSERT)[A-Z0-9_]*$")) @error
