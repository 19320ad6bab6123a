; What is refused: macros named after CHECK or ASSERT, with the checked expression and the first words of the message.

(call_expression
  function: (identifier) @error.name
  arguments: (argument_list . (_) @error.condition [(string_literal) (concatenated_string)]? @error.message)
  (#match? @error.name "^([A-Z0-9_]*(CHECK|ASSERT)[A-Z0-9_]*|assert)$")
  (#not-match? @error.name "_(EQ|NE|LT|LE|GT|GE)$")) @error

; CHECK_EQ(a, b, "…") compares two.
(call_expression
  function: (identifier) @error.name
  arguments: (argument_list
    . (_) @error.condition . (_) @error.condition
    [(string_literal) (concatenated_string)]? @error.message)
  (#match? @error.name "^[A-Z0-9_]*(CHECK|ASSERT)[A-Z0-9_]*_(EQ|NE|LT|LE|GT|GE)$")) @error

; CHECK(a) << "…"
(binary_expression
  left: (call_expression function: (identifier) @error.name)
  right: [(string_literal) (concatenated_string)] @error.message
  (#match? @error.name "^[A-Z0-9_]*(CHECK|ASSERT)[A-Z0-9_]*$")) @error
