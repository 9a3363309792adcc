"""Screen-space interfaces: the taxonomy, drawn and extracted assets, detection, matting and the library."""
