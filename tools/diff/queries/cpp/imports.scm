; Files that a file includes.

(preproc_include path: (_) @import.name) @import
