; Functions, classes and what stands in them.

(class_definition
  name: (identifier) @class.name
  superclasses: (argument_list [(identifier) (attribute) (subscript) (call)] @class.base)?) @class

(class_definition
  name: (identifier) @enum.name
  superclasses: (argument_list [(identifier) (attribute)] @enum.base)
  (#match? @enum.base "(^|[.])(Int|Str)?(Enum|Flag)$")) @enum

(function_definition
  name: (identifier) @function.name
  return_type: (type)? @function.returns) @function

(decorated_definition
  (decorator (_) @function.decorator)
  definition: (function_definition name: (identifier) @function.name)) @function

(decorated_definition
  (decorator (_) @class.decorator)
  definition: (class_definition name: (identifier) @class.name)) @class

; Parameters, one declaration each; `*` and `/` keep their places among them.

(parameters (identifier) @parameter.name @parameter)
(parameters (typed_parameter . (identifier) @parameter.name type: (type) @parameter.type) @parameter)
(parameters (default_parameter name: (identifier) @parameter.name value: (_) @parameter.default) @parameter)
(parameters
  (typed_default_parameter
    name: (identifier) @parameter.name
    type: (type) @parameter.type
    value: (_) @parameter.default) @parameter)
(parameters (list_splat_pattern) @parameter.name @parameter)
(parameters (dictionary_splat_pattern) @parameter.name @parameter)
(parameters
  (typed_parameter . [(list_splat_pattern) (dictionary_splat_pattern)] @parameter.name type: (type) @parameter.type)
  @parameter)
(parameters [(keyword_separator) (positional_separator)] @parameter.name @parameter)

; Members of enumerations, fields of records, attributes and constants.

(class_definition
  superclasses: (argument_list [(identifier) (attribute)] @_base)
  body: (block (expression_statement (assignment left: (identifier) @member.name right: (_) @member.value) @member))
  (#match? @_base "(^|[.])(Int|Str)?(Enum|Flag)$"))

(class_definition
  body: (block
    (expression_statement
      (assignment left: (identifier) @field.name type: (type) @field.type right: (_)? @field.value) @field)))

(class_definition
  body: (block
    (expression_statement (assignment left: (identifier) @constant.name !type right: (_) @constant.value) @constant)))

(module
  (expression_statement
    (assignment left: (identifier) @constant.name type: (type)? @constant.type right: (_) @constant.value) @constant))

(module (type_alias_statement left: (type) @constant.name right: (type) @constant.value) @constant)
