; What is refused: macros named after CHECK or ASSERT, with the checked expression and the first words of the message.

(call_expression
  function: (identifier) @error.name
  arguments: (argument_list . (_) @error.condition [(string_literal) (concatenated_string)]? @error.message)
  (#match? @error.name "^[A-Z0-9_]*(CHECK|ASSERT)[A-Z0-9_]*$")) @error

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

; Exceptions that are thrown, with the condition around them.

(throw_statement
  [(call_expression function: (_) @error.name arguments: (argument_list . (_)? @error.message))
   (compound_literal_expression type: (_) @error.name value: (initializer_list . (_)? @error.message))]) @error

(if_statement
  condition: (condition_clause value: (_) @error.condition)
  consequence: [
    (throw_statement (_ . (_) @error.name)) @error
    (compound_statement (throw_statement (_ . (_) @error.name)) @error)])

; TVM_FFI_THROW(ValueError) << "…"
(binary_expression
  left: (call_expression function: (identifier) @_call arguments: (argument_list . (identifier) @error.name))
  right: [(string_literal) (concatenated_string)] @error.message
  (#eq? @_call "TVM_FFI_THROW")) @error
