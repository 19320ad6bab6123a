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

; What C++ adds: namespaces, classes with bases, members, methods, templates, references.

(namespace_definition name: (_) @namespace.name) @namespace

(class_specifier
  name: (_) @class.name
  (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @class.base)?
  body: (_)) @class
(struct_specifier
  name: (_) @class.name
  (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @class.base)
  body: (_)) @class
(template_declaration
  parameters: (template_parameter_list) @class.template
  [(class_specifier name: (_) @class.name body: (_)) (struct_specifier name: (_) @class.name body: (_))]) @class

(enum_specifier name: (_) @enum.name base: (_) @enum.base body: (_)) @enum

; Methods, inside of their class and outside, where the innermost scope owns them.
(function_definition
  (type_qualifier)? @function.returns
  type: (_)? @function.returns
  declarator: [
    (function_declarator
      declarator: [
        (field_identifier) @function.name
        (operator_name) @function.name
        (destructor_name) @function.name
        (qualified_identifier
          scope: (_) @function.owner
          name: [(identifier) (operator_name) (destructor_name)] @function.name)
        (qualified_identifier
          name: (qualified_identifier scope: (_) @function.owner name: (identifier) @function.name))
        (qualified_identifier
          name: (qualified_identifier
            name: (qualified_identifier scope: (_) @function.owner name: (identifier) @function.name)))])
    (_ ["*" "&"] @function.returns
      (function_declarator
        declarator: [
          (field_identifier) @function.name
          (operator_name) @function.name
          (qualified_identifier
            scope: (_) @function.owner
            name: [(identifier) (operator_name)] @function.name)]))
    (reference_declarator
      "&" @function.returns
      (function_declarator declarator: (identifier) @function.name))]) @function
(field_declaration
  (type_qualifier)? @function.returns
  type: (_)? @function.returns
  declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @function.name)
    (_ ["*" "&"] @function.returns
      (function_declarator declarator: [(field_identifier) (operator_name)] @function.name))]) @function
(declaration
  (type_qualifier)? @function.returns
  type: (_)? @function.returns
  declarator: (function_declarator
    declarator: (identifier) @function.name
    parameters: (parameter_list [(optional_parameter_declaration) (variadic_parameter_declaration)]))) @function
(declaration declarator: (function_declarator declarator: (destructor_name) @function.name)) @function

(template_declaration
  parameters: (template_parameter_list) @function.template
  (_ declarator: [
    (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @function.name)
    (function_declarator
      declarator: (qualified_identifier name: [(identifier) (operator_name)] @function.name))
    (_ (function_declarator declarator: [(identifier) (field_identifier)] @function.name))
    (_ (function_declarator declarator: (qualified_identifier name: (identifier) @function.name)))])) @function

(function_definition
  declarator: (function_declarator
    parameters: (parameter_list
    (parameter_declaration
      (type_qualifier)? @parameter.type
      type: (_) @parameter.type
      (type_qualifier)? @parameter.type
      declarator: (reference_declarator ["&" "&&"] @parameter.type (identifier) @parameter.name)) @parameter)))
(function_declarator
  declarator: (_) @_function
  parameters: (parameter_list
    (parameter_declaration
      (type_qualifier)? @parameter.type
      type: (_) @parameter.type
      (type_qualifier)? @parameter.type
      declarator: (reference_declarator ["&" "&&"] @parameter.type (identifier) @parameter.name)) @parameter)
  (#not-match? @_function "^[(]")
  (#not-match? @parameter "^(?!(void|bool|char|int|float|double|size_t|u?int\\d+_t)\\b)\\w+ [*&]+ \\w"))
(parameter_list
  (optional_parameter_declaration
    (type_qualifier)? @parameter.type
    type: (_) @parameter.type
    declarator: [
      (identifier) @parameter.name
      (pointer_declarator "*" @parameter.type declarator: (identifier) @parameter.name)
      (reference_declarator ["&" "&&"] @parameter.type (identifier) @parameter.name)]
    default_value: (_) @parameter.default) @parameter)
(parameter_list
  (variadic_parameter_declaration
    type: (_) @parameter.type
    declarator: [
      (variadic_declarator (identifier) @parameter.name)
      (reference_declarator (variadic_declarator (identifier) @parameter.name))]) @parameter)

((field_declaration
  (type_qualifier)? @field.type
  type: (_) @field.type
  declarator: [
    (field_identifier) @field.name
    (pointer_declarator "*" @field.type declarator: (field_identifier) @field.name)
    (reference_declarator ["&" "&&"] @field.type (field_identifier) @field.name)
    (array_declarator declarator: (field_identifier) @field.name)]
  default_value: (_)? @field.value) @field
  (#not-match? @field "^[^=;(<]*\\b(constexpr|static)\\b"))
