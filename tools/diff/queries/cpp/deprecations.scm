; What is marked as deprecated: [[deprecated("…")]] and __attribute__((deprecated("…"))).

(function_definition
  [(attribute_declaration (attribute name: (_) @_attribute (argument_list (_) @deprecation.message)?))
   (attribute_specifier
     (argument_list [(identifier) @_attribute
       (call_expression function: (identifier) @_attribute arguments: (argument_list (_) @deprecation.message))]))] @deprecation
  declarator: (function_declarator declarator: (_) @deprecation.name)
  (#eq? @_attribute "deprecated"))
(declaration
  [(attribute_declaration (attribute name: (_) @_attribute (argument_list (_) @deprecation.message)?))
   (attribute_specifier
     (argument_list [(identifier) @_attribute
       (call_expression function: (identifier) @_attribute arguments: (argument_list (_) @deprecation.message))]))] @deprecation
  declarator: (function_declarator declarator: (_) @deprecation.name)
  (#eq? @_attribute "deprecated"))
(declaration
  declarator: (function_declarator
    declarator: (_) @deprecation.name
    (attribute_specifier
      (argument_list [(identifier) @_attribute
        (call_expression function: (identifier) @_attribute arguments: (argument_list (_) @deprecation.message))])) @deprecation)
  (#eq? @_attribute "deprecated"))
(field_declaration
  (attribute_declaration (attribute name: (_) @_attribute (argument_list (_) @deprecation.message)?)) @deprecation
  declarator: [(field_identifier) @deprecation.name (_ declarator: (_) @deprecation.name)]
  (#eq? @_attribute "deprecated"))

; Classes and aliases that are marked as deprecated.

(class_specifier
  (attribute_declaration (attribute name: (_) @_attribute (argument_list (_) @deprecation.message)?)) @deprecation
  name: (_) @deprecation.name
  (#eq? @_attribute "deprecated"))
(alias_declaration
  name: (_) @deprecation.name
  (attribute_declaration (attribute name: (_) @_attribute (argument_list (_) @deprecation.message)?)) @deprecation
  (#eq? @_attribute "deprecated"))
(struct_specifier
  (attribute_declaration (attribute name: (_) @_attribute (argument_list (_) @deprecation.message)?)) @deprecation
  name: (_) @deprecation.name
  (#eq? @_attribute "deprecated"))
