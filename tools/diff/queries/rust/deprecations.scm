; What is marked as deprecated, in the words of its author.

((attribute_item (attribute (identifier) @_deprecated value: (_)? @deprecation.message)) @deprecation
 . [(attribute_item) (line_comment)]? . (attribute_item)?
 . (_ name: (_) @deprecation.name)
 (#eq? @_deprecated "deprecated"))

((attribute_item
   (attribute
     (identifier) @_deprecated
     arguments: (token_tree (identifier) @_note . "=" . (string_literal) @deprecation.message))) @deprecation
 . [(attribute_item) (line_comment)]? . (attribute_item)?
 . (_ name: (_) @deprecation.name)
 (#eq? @_deprecated "deprecated")
 (#eq? @_note "note"))
