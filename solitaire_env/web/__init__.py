"""The table in a browser: `solitaire-env play`."""
