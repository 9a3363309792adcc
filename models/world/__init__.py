"""World models: video continued under keyboard and mouse (`action`), and the pilot's clean-versus-interface arms (`pilot`)."""
