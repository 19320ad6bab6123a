; Classes and aliases that are marked as deprecated.

(class_specifier
  (attribute_declaration (attribute name: (_) @_attribute (argument_list (_) @deprecation.message)?))
  name: (_) @deprecation.name
  (#eq? @_attribute "deprecated")) @deprecation
(alias_declaration
  name: (_) @deprecation.name
  (attribute_declaration (attribute name: (_) @_attribute (argument_list (_) @deprecation.message)?))
  (#eq? @_attribute "deprecated")) @deprecation
(struct_specifier
  (attribute_declaration (attribute name: (_) @_attribute (argument_list (_) @deprecation.message)?))
  name: (_) @deprecation.name
  (#eq? @_attribute "deprecated")) @deprecation
