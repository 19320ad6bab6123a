; What TypeScript adds: namespaces, interfaces, enumerations, types, and parameters and fields with types.

(internal_module name: (_) @namespace.name) @namespace
(module name: (_) @namespace.name) @namespace

(abstract_class_declaration name: (_) @class.name (class_heritage (_)+ @class.base)?) @class
(interface_declaration name: (_) @class.name (extends_type_clause)? @class.base) @class
(type_alias_declaration name: (_) @class.name value: (object_type)) @class
(type_alias_declaration
  name: (_) @constant.name
  value: [(union_type) (intersection_type) (literal_type) (predefined_type) (type_identifier) (generic_type)
          (nested_type_identifier) (function_type) (array_type) (tuple_type) (lookup_type) (conditional_type)
          (index_type_query) (type_query) (template_literal_type) (readonly_type)] @constant.value) @constant

(enum_declaration name: (_) @enum.name) @enum
(enum_body name: (_) @member.name @member)
(enum_body (enum_assignment name: (_) @member.name value: (_) @member.value) @member)

(function_declaration name: (_) @function.name return_type: (type_annotation (_) @function.returns)) @function
(method_definition name: (_) @function.name return_type: (type_annotation (_) @function.returns)) @function
(variable_declarator
  name: (identifier) @function.name
  value: (arrow_function return_type: (type_annotation (_) @function.returns))) @function
(function_signature name: (_) @function.name return_type: (type_annotation (_) @function.returns)?) @function
(method_signature name: (_) @function.name return_type: (type_annotation (_) @function.returns)?) @function
(abstract_method_signature
  name: (_) @function.name
  return_type: (type_annotation (_) @function.returns)?) @function

(function_declaration parameters: (formal_parameters
  (_ pattern: (_) @parameter.name type: (type_annotation (_) @parameter.type)? value: (_)? @parameter.default)
  @parameter))
(function_signature parameters: (formal_parameters
  (_ pattern: (_) @parameter.name type: (type_annotation (_) @parameter.type)?) @parameter))
(method_definition parameters: (formal_parameters
  (_ pattern: (_) @parameter.name type: (type_annotation (_) @parameter.type)? value: (_)? @parameter.default)
  @parameter))
(method_signature parameters: (formal_parameters
  (_ pattern: (_) @parameter.name type: (type_annotation (_) @parameter.type)?) @parameter))
(abstract_method_signature parameters: (formal_parameters
  (_ pattern: (_) @parameter.name type: (type_annotation (_) @parameter.type)?) @parameter))
(variable_declarator value: (_ parameters: (formal_parameters
  (_ pattern: (_) @parameter.name type: (type_annotation (_) @parameter.type)? value: (_)? @parameter.default)
  @parameter)))

(public_field_definition
  name: (_) @field.name
  type: (type_annotation (_) @field.type)?
  value: (_)? @field.value) @field
(interface_body
  (property_signature name: (_) @field.name type: (type_annotation (_) @field.type)?) @field)
(type_alias_declaration
  value: (object_type
    (property_signature name: (_) @field.name type: (type_annotation (_) @field.type)?) @field))

; What may be left out stands as if it had a default.

(optional_parameter pattern: (_) @parameter.name "?" @parameter.default) @parameter
(interface_body (property_signature name: (_) @field.name "?" @field.value) @field)
(type_alias_declaration value: (object_type (property_signature name: (_) @field.name "?" @field.value) @field))

; Constants with a type, or with a value whose type is asserted.

(program
  (lexical_declaration
    (variable_declarator name: (identifier) @constant.name type: (type_annotation (_) @constant.type)
      value: [(string) (number) (true) (false) (array) (object) (call_expression) (new_expression)
              (as_expression) (satisfies_expression)]) @constant))
(program
  (lexical_declaration
    (variable_declarator
      name: (identifier) @constant.name
      value: [(as_expression) (satisfies_expression)] @constant.value) @constant))
(export_statement
  declaration: (lexical_declaration
    (variable_declarator name: (identifier) @constant.name type: (type_annotation (_) @constant.type)
      value: [(string) (number) (true) (false) (array) (object) (call_expression) (new_expression)
              (as_expression) (satisfies_expression)]) @constant))
(export_statement
  "export" @constant.public
  declaration: (lexical_declaration
    (variable_declarator
      name: (identifier) @constant.name
      value: [(as_expression) (satisfies_expression)] @constant.value) @constant))
(ambient_declaration
  (_ (variable_declarator name: (identifier) @constant.name type: (type_annotation (_) @constant.type)) @constant))

; What `export` stands before.

(export_statement "export" @class.public declaration: (abstract_class_declaration name: (_) @class.name) @class)
(export_statement "export" @class.public declaration: (interface_declaration name: (_) @class.name) @class)
(export_statement
  "export" @class.public
  declaration: (type_alias_declaration name: (_) @class.name value: (object_type)) @class)
(export_statement
  "export" @constant.public
  declaration: (type_alias_declaration
    name: (_) @constant.name
    value: [(union_type) (intersection_type) (literal_type) (predefined_type) (type_identifier) (generic_type)
            (nested_type_identifier) (function_type) (array_type) (tuple_type) (lookup_type) (conditional_type)
            (index_type_query) (type_query) (template_literal_type) (readonly_type)]) @constant)
(export_statement "export" @enum.public declaration: (enum_declaration name: (_) @enum.name) @enum)
(export_statement "export" @function.public declaration: (function_signature name: (_) @function.name) @function)
