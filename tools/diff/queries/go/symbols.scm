; Types, functions and what stands in them. A capital letter gives a name to other packages.

(type_spec name: (type_identifier) @class.name type: [(struct_type) (interface_type)]) @class
(type_spec
  name: (type_identifier) @constant.name
  type: [(type_identifier) (qualified_type) (generic_type) (function_type) (map_type) (slice_type) (array_type)
         (pointer_type) (channel_type)] @constant.value) @constant
(type_alias name: (type_identifier) @constant.name type: (_) @constant.value) @constant

(function_declaration name: (identifier) @function.name result: (_)? @function.returns) @function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [(type_identifier) @function.owner
             (generic_type type: (_) @function.owner)
             (pointer_type [(type_identifier) @function.owner (generic_type type: (_) @function.owner)])]))
  name: (field_identifier) @function.name
  result: (_)? @function.returns) @function
(method_elem name: (field_identifier) @function.name result: (_)? @function.returns) @function

; Parameters of declarations, not of function literals; one of a signature may have no name but its type.

(function_declaration parameters: (parameter_list
  [(parameter_declaration name: (_) @parameter.name type: (_) @parameter.type)
   (variadic_parameter_declaration name: (_) @parameter.name type: (_) @parameter.type)] @parameter))
(method_declaration parameters: (parameter_list
  [(parameter_declaration name: (_) @parameter.name type: (_) @parameter.type)
   (variadic_parameter_declaration name: (_) @parameter.name type: (_) @parameter.type)] @parameter))
(method_elem parameters: (parameter_list
  [(parameter_declaration name: (_) @parameter.name type: (_) @parameter.type)
   (variadic_parameter_declaration name: (_) @parameter.name type: (_) @parameter.type)
   (parameter_declaration !name type: (_) @parameter.name @parameter.type)] @parameter))

; The tag of a field (`json:"name"`) is its value; an embedded type is a field of its own name.

(type_spec type: (struct_type (field_declaration_list
  (field_declaration name: (_) @field.name type: (_) @field.type tag: (_)? @field.value) @field)))
(type_spec type: (struct_type (field_declaration_list
  (field_declaration !name type: (_) @field.name @field.type tag: (_)? @field.value) @field)))
(type_spec type: (interface_type (type_elem) @field.name @field))

; A constant of an iota group without a value of its own is compared by its position.

(const_spec name: (identifier) @constant.name type: (_)? @constant.type value: (_)? @constant.value) @constant
(source_file (var_declaration
  [(var_spec name: (identifier) @constant.name type: (_)? @constant.type value: (_)? @constant.value) @constant
   (var_spec_list
     (var_spec name: (identifier) @constant.name type: (_)? @constant.type value: (_)? @constant.value) @constant)]))
