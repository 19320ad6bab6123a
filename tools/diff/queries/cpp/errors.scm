; Exceptions that are thrown, with the condition around them.

(throw_statement
  [(call_expression function: (_) @error.name arguments: (argument_list . (_)? @error.message))
   (compound_literal_expression type: (_) @error.name value: (initializer_list . (_)? @error.message))]) @error

(if_statement
  condition: (condition_clause value: (_) @error.condition)
  consequence: [
    (throw_statement (_ . (_) @error.name)) @error
    (compound_statement (throw_statement (_ . (_) @error.name)) @error)])

(static_assert_declaration
  "static_assert" @error.name
  condition: (_) @error.condition
  message: (_)? @error.message) @error

; TVM_FFI_THROW(ValueError) << "…"
(binary_expression
  left: (call_expression function: (identifier) @_call arguments: (argument_list . (identifier) @error.name))
  right: [(string_literal) (concatenated_string)] @error.message
  (#eq? @_call "TVM_FFI_THROW")) @error
