"""The subcommands, one module each with a click command called `command`."""
