; Names that Python finds by pyo3: an item's own name, or the one that `name = "…"` gives.

((attribute_item (attribute [(identifier) (scoped_identifier)] @registration.table))
 . [(attribute_item) (line_comment)]? . (attribute_item)?
 . (_ name: (_) @registration.name) @registration
 (#match? @registration.table "^(pyo3::)?py(function|class|module|method)$"))

((attribute_item
   (attribute
     [(identifier) (scoped_identifier)] @registration.table
     arguments: (token_tree (identifier) @_name . "=" . (string_literal) @registration.name)))
 . [(attribute_item) (line_comment)]? . (attribute_item)?
 . (_ name: (_) @registration.value) @registration
 (#match? @registration.table "^pyo3$|^(pyo3::)?py(function|class)$")
 (#eq? @_name "name"))
