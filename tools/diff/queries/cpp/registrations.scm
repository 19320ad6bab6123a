; Names that Python or a runtime reaches functions by: torch libraries, pybind11, nanobind, TVM.
; Such calls stand in chains, so the arguments alone are the declaration.

(call_expression
  function: (field_expression field: (field_identifier) @_call)
  arguments: (argument_list
    . (string_literal) @registration.name
    . [(identifier) (qualified_identifier) (pointer_expression)]? @registration.value) @registration
  (#match? @_call "^def(_static|_readwrite|_readonly|_property|_property_readonly|_rw|_ro|_prop_rw|_prop_ro)?$"))

; `m.impl("name", torch::kCUDA, &f)` and `m.impl("name", f)`
(call_expression
  function: (field_expression field: (field_identifier) @_call)
  arguments: (argument_list . (string_literal) @registration.name (_) @registration.value .) @registration
  (#eq? @_call "impl"))

; The library or module that they belong to.
(function_definition
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list . (_) @registration.table))
  body: (compound_statement
    (expression_statement
      (call_expression
        function: (field_expression)
        arguments: (argument_list . (string_literal) @registration.name) @registration)))
  (#match? @_macro "^(TORCH_LIBRARY|PYBIND11_MODULE)"))

; `py::class_<A>(m, "A")`, `py::enum_<E>(m, "E").value("a", E::a)`
(call_expression
  function: (qualified_identifier name: (template_function name: (identifier) @_call))
  arguments: (argument_list . (identifier) . (string_literal) @registration.name)
  (#any-of? @_call "class_" "enum_")) @registration
(call_expression
  function: (field_expression argument: (call_expression) field: (field_identifier) @_call)
  arguments: (argument_list
    . (string_literal) @registration.name
    . (qualified_identifier) @registration.value) @registration
  (#eq? @_call "value"))

(call_expression
  function: (identifier) @_call
  arguments: (argument_list . (identifier) @registration.name . (_) @registration.value)
  (#match? @_call "^TVM_(FFI_)?DLL_EXPORT_TYPED_FUNC$")) @registration
(call_expression
  function: (identifier) @_call
  arguments: (argument_list . (string_literal) @registration.name)
  (#match? @_call "^[A-Z0-9_]*REGISTER[A-Z0-9_]*$")) @registration

; Arguments that Python callers write by name: `py::arg("x")`, `nb::arg("x") = 1`.
(call_expression
  function: (field_expression field: (field_identifier) @_call)
  arguments: (argument_list
    . (string_literal (string_content) @argument.owner)
    [(call_expression
       function: (qualified_identifier name: (identifier) @_arg)
       arguments: (argument_list . (string_literal) @argument.name .)) @argument
     (assignment_expression
       left: (call_expression
         function: (qualified_identifier name: (identifier) @_arg)
         arguments: (argument_list . (string_literal) @argument.name .))
       right: (_) @argument.default) @argument])
  (#eq? @_call "def")
  (#eq? @_arg "arg"))
