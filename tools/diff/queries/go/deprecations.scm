; What a comment marks as deprecated: `// Deprecated: …`, the documented convention; up to two lines may follow.

((comment) @deprecation @deprecation.message
 . (comment)? . (comment)?
 . [(function_declaration name: (_) @deprecation.name)
    (method_declaration name: (_) @deprecation.name)
    (type_declaration (type_spec name: (_) @deprecation.name))
    (const_declaration (const_spec name: (_) @deprecation.name))
    (var_declaration (var_spec name: (_) @deprecation.name))
    (const_spec name: (_) @deprecation.name)
    (var_spec name: (_) @deprecation.name)
    (field_declaration name: (_) @deprecation.name)
    (method_elem name: (_) @deprecation.name)]
 (#match? @deprecation.message "^//\\s*Deprecated:"))
