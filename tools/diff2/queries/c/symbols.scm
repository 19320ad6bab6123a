; Functions, records, enumerations and what stands in them. C++ and CUDA read these too.

((function_definition
  (type_qualifier)? @function.returns
  type: (_)? @function.returns
  declarator: [
    (function_declarator declarator: (identifier) @function.name)
    (pointer_declarator "*" @function.returns (function_declarator declarator: (identifier) @function.name))]) @function
  (#not-match? @function.name "^[A-Z][A-Z0-9]*_[A-Z0-9_]*$"))

; A declaration without parameters, or with one that no argument of an object `dim3 grid(a, b * c)` looks like.
(declaration
  (type_qualifier)? @function.returns
  type: (_)? @function.returns
  declarator: [
    (function_declarator
      declarator: (identifier) @function.name
      parameters: [
        (parameter_list "(" . ")")
        (parameter_list
          [(parameter_declaration declarator: (_))
           (parameter_declaration (type_qualifier))
           (parameter_declaration type: (primitive_type))] @_parameter)])
    (pointer_declarator "*" @function.returns (function_declarator declarator: (identifier) @function.name))]
  (#not-match? @_parameter "^(?!(void|bool|char|int|float|double|size_t|u?int\\d+_t)\\b)\\w+ [*&]+ \\w")) @function
(declaration
  type: (primitive_type) @function.returns
  declarator: (function_declarator declarator: (identifier) @function.name)
  (#eq? @function.returns "void")) @function

; Macros with parameters are called like functions.
(preproc_function_def name: (identifier) @function.name) @function
(preproc_params (identifier) @parameter.name @parameter)

; Named parameters; a type is what stands before the name.
(function_definition
  declarator: (function_declarator
    parameters: (parameter_list
    (parameter_declaration
      (type_qualifier)? @parameter.type
      type: (_) @parameter.type
      (type_qualifier)? @parameter.type
      declarator: [
        (identifier) @parameter.name
        (pointer_declarator "*" @parameter.type declarator: (identifier) @parameter.name)
        (pointer_declarator "*" @parameter.type (pointer_declarator "*" @parameter.type (identifier) @parameter.name))
        (array_declarator declarator: (identifier) @parameter.name)
        (function_declarator (parenthesized_declarator (_ declarator: (identifier) @parameter.name)))]) @parameter)))

; Those of a declaration, with the same care for objects; those of a function pointer are part of its type.
(function_declarator
  declarator: (_) @_function
  parameters: (parameter_list
    (parameter_declaration
      (type_qualifier)? @parameter.type
      type: (_) @parameter.type
      (type_qualifier)? @parameter.type
      declarator: [
        (identifier) @parameter.name
        (pointer_declarator "*" @parameter.type declarator: (identifier) @parameter.name)
        (pointer_declarator "*" @parameter.type (pointer_declarator "*" @parameter.type (identifier) @parameter.name))
        (array_declarator declarator: (identifier) @parameter.name)
        (function_declarator (parenthesized_declarator (_ declarator: (identifier) @parameter.name)))]) @parameter)
  (#not-match? @_function "^[(]")
  (#not-match? @parameter "^(?!(void|bool|char|int|float|double|size_t|u?int\\d+_t)\\b)\\w+ [*&]+ \\w"))

; Records; `typedef struct {…} name` takes the name that it is used by.
(struct_specifier name: (_) @class.name body: (_)) @class
(union_specifier name: (_) @class.name body: (_)) @class
(type_definition
  type: [(struct_specifier !name body: (_)) (union_specifier !name body: (_))]
  declarator: (type_identifier) @class.name) @class

((field_declaration
  (type_qualifier)? @field.type
  type: (_) @field.type
  (type_qualifier)? @field.type
  declarator: [
    (field_identifier) @field.name
    (pointer_declarator "*" @field.type declarator: (field_identifier) @field.name)
    (array_declarator declarator: (field_identifier) @field.name)
    (_ declarator: (_ declarator: (field_identifier) @field.name))]) @field
  (#not-match? @field "^[^=;(<]*\\b(constexpr|static)\\b"))

(enum_specifier name: (_) @enum.name body: (_)) @enum
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @enum.name) @enum
(enumerator name: (identifier) @member.name value: (_)? @member.value) @member
