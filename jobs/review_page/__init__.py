"""The local web page on which people decide which proposals become assets."""
