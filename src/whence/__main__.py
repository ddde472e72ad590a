"""`python -m whence` is `whence`."""

from whence.cli.main import main

main()
