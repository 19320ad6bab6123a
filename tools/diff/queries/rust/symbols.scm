; Modules, types, functions and what stands in them.

(mod_item name: (identifier) @namespace.name) @namespace

(struct_item name: (type_identifier) @class.name) @class
(union_item name: (type_identifier) @class.name) @class
(trait_item name: (type_identifier) @class.name bounds: (trait_bounds (_)+ @class.base)?) @class
(enum_item name: (type_identifier) @enum.name) @enum
(enum_variant name: (identifier) @member.name body: (_)? @member.type value: (_)? @member.value) @member

(function_item name: (identifier) @function.name return_type: (_)? @function.returns) @function
(function_signature_item name: (identifier) @function.name return_type: (_)? @function.returns) @function
(macro_definition name: (identifier) @function.name) @function

(parameters (self_parameter) @parameter.name @parameter)
(parameters (parameter pattern: (_) @parameter.name type: (_) @parameter.type) @parameter)

(struct_item
  body: (field_declaration_list (field_declaration name: (_) @field.name type: (_) @field.type) @field))
(union_item
  body: (field_declaration_list (field_declaration name: (_) @field.name type: (_) @field.type) @field))
; The fields of a tuple have no names but their types.
(struct_item body: (ordered_field_declaration_list type: (_) @field.name @field.type @field))

(const_item name: (identifier) @constant.name type: (_) @constant.type value: (_)? @constant.value) @constant
(static_item name: (identifier) @constant.name type: (_) @constant.type value: (_)? @constant.value) @constant
(type_item name: (type_identifier) @constant.name type: (_) @constant.value) @constant
(associated_type name: (type_identifier) @constant.name bounds: (trait_bounds (_)+ @constant.type)?) @constant

; What stands in an `impl` belongs to its type, wherever the type is declared.

(impl_item
  type: [(type_identifier) @function.owner (scoped_type_identifier) @function.owner
         (generic_type type: (_) @function.owner)]
  body: (declaration_list (function_item name: (identifier) @function.name) @function))
(impl_item
  type: [(type_identifier) @constant.owner (scoped_type_identifier) @constant.owner
         (generic_type type: (_) @constant.owner)]
  body: (declaration_list
    [(const_item name: (identifier) @constant.name) (type_item name: (type_identifier) @constant.name)] @constant))

; `pub` alone: `pub(crate)` gives a name to nobody outside.

(mod_item (visibility_modifier) @namespace.public name: (_) @namespace.name
  (#eq? @namespace.public "pub")) @namespace
(struct_item (visibility_modifier) @class.public name: (_) @class.name (#eq? @class.public "pub")) @class
(union_item (visibility_modifier) @class.public name: (_) @class.name (#eq? @class.public "pub")) @class
(trait_item (visibility_modifier) @class.public name: (_) @class.name (#eq? @class.public "pub")) @class
(enum_item (visibility_modifier) @enum.public name: (_) @enum.name (#eq? @enum.public "pub")) @enum
(function_item (visibility_modifier) @function.public name: (_) @function.name
  (#eq? @function.public "pub")) @function
(struct_item
  body: (field_declaration_list
    (field_declaration (visibility_modifier) @field.public name: (_) @field.name) @field)
  (#eq? @field.public "pub"))
(const_item (visibility_modifier) @constant.public name: (_) @constant.name
  (#eq? @constant.public "pub")) @constant
(static_item (visibility_modifier) @constant.public name: (_) @constant.name
  (#eq? @constant.public "pub")) @constant
(type_item (visibility_modifier) @constant.public name: (_) @constant.name
  (#eq? @constant.public "pub")) @constant
