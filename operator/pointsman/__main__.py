"""`python -m pointsman` is the `pointsman` command."""

from pointsman.cli.main import main

if __name__ == "__main__":
    main()
