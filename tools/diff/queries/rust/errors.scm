; What is refused, in which words and under which condition.

(macro_invocation
  macro: (_) @error.name
  (token_tree . (string_literal)? @error.message)
  (#match? @error.name "^(panic|((anyhow|eyre|color_eyre)::)?(bail|anyhow|eyre))$")) @error

; A macro does not parse its arguments: condition and words stay together.
(macro_invocation
  macro: (_) @error.name
  (token_tree) @error.condition
  (#match? @error.name "^(assert|((anyhow|eyre|color_eyre)::)?ensure)$")) @error

(call_expression
  function: (identifier) @_err
  arguments: (arguments
    . [(call_expression
         function: [(identifier) (scoped_identifier)] @error.name
         arguments: (arguments . (_)? @error.message))
       (macro_invocation macro: (_) @error.name (token_tree . (string_literal) @error.message))
       (struct_expression name: (_) @error.name body: (_) @error.message)
       (scoped_identifier) @error.name])
  (#eq? @_err "Err")) @error

(call_expression
  function: (identifier) @error.name
  arguments: (arguments
    . (call_expression function: (field_expression value: (string_literal) @error.message)))
  (#eq? @error.name "Err")) @error

(if_expression
  condition: (_) @error.condition
  consequence: (block
    [(macro_invocation macro: (_) @error.name) @error
     (expression_statement (macro_invocation macro: (_) @error.name) @error)])
  (#match? @error.name "^(panic|((anyhow|eyre|color_eyre)::)?(bail|anyhow|eyre))$"))

(if_expression
  condition: (_) @error.condition
  consequence: (block
    [(expression_statement
       (return_expression
         (call_expression
           function: (identifier) @_err
           arguments: (arguments
             . [(call_expression function: [(identifier) (scoped_identifier)] @error.name)
                (macro_invocation macro: (_) @error.name)
                (struct_expression name: (_) @error.name)
                (scoped_identifier) @error.name])) @error))
     (call_expression
       function: (identifier) @_err
       arguments: (arguments
         . [(call_expression function: [(identifier) (scoped_identifier)] @error.name)
            (macro_invocation macro: (_) @error.name)
            (struct_expression name: (_) @error.name)
            (scoped_identifier) @error.name])) @error])
  (#eq? @_err "Err"))

; thiserror: #[error("words")] on a variant or a type.
((attribute_item (attribute (identifier) @_error arguments: (token_tree . (string_literal) @error.message)))
 . [(attribute_item) (line_comment)]? . (attribute_item)?
 . [(enum_variant name: (_) @error.name) (struct_item name: (_) @error.name)] @error
 (#eq? @_error "error"))
