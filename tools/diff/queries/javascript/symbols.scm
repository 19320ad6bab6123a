; What JavaScript writes otherwise than TypeScript: parameters and fields without types.

(function_declaration parameters: (formal_parameters
  [(identifier) @parameter.name
   (rest_pattern) @parameter.name
   (object_pattern) @parameter.name
   (array_pattern) @parameter.name
   (assignment_pattern left: (_) @parameter.name right: (_) @parameter.default)] @parameter))
(method_definition parameters: (formal_parameters
  [(identifier) @parameter.name
   (rest_pattern) @parameter.name
   (object_pattern) @parameter.name
   (array_pattern) @parameter.name
   (assignment_pattern left: (_) @parameter.name right: (_) @parameter.default)] @parameter))
(variable_declarator value: (_ parameters: (formal_parameters
  [(identifier) @parameter.name
   (rest_pattern) @parameter.name
   (object_pattern) @parameter.name
   (array_pattern) @parameter.name
   (assignment_pattern left: (_) @parameter.name right: (_) @parameter.default)] @parameter)))

(field_definition property: (_) @field.name value: (_)? @field.value) @field
