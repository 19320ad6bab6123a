; Names that something can be chosen by: decorators, calls and tables of a registry.

(decorated_definition
  (decorator
    (call function: (_) @_call arguments: (argument_list . (string) @registration.name)))
  definition: (_ name: (identifier) @registration.value)
  (#match? @_call "[Rr]egister")) @registration

(expression_statement
  (call
    function: (_) @_call
    arguments: (argument_list . (string) @registration.name . (_)? @registration.value)
    (#match? @_call "([.]|^)(register|register_[a-z_]+)$")
    ; These are methods of torch.nn.Module and name nothing that anybody chooses.
    (#not-match? @_call "register_(buffer|parameter|module|[a-z_]*hook)$"))) @registration

(module
  (expression_statement
    (assignment
      left: (identifier) @registration.table
      right: (dictionary (pair key: (string) @registration.name value: (_) @registration.value) @registration)))
  (#match? @registration.table "^_?[A-Z][A-Z0-9_]+$"))
