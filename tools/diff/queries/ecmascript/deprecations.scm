; What JSDoc marks as deprecated; the whole comment is its words.

((comment) @deprecation @deprecation.message
 . [(function_declaration name: (_) @deprecation.name)
    (class_declaration name: (_) @deprecation.name)
    (method_definition name: (_) @deprecation.name)
    (lexical_declaration (variable_declarator name: (_) @deprecation.name))
    (export_statement declaration: [
      (_ name: (_) @deprecation.name)
      (_ (variable_declarator name: (_) @deprecation.name))])]
 (#match? @deprecation.message "@deprecated"))
