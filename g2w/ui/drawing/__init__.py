"""Our own interface drawings: themes, drawing primitives, icons and one module per family of elements."""
