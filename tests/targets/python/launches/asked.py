"""Tallies once for each line that it reads."""
import sys

from shop.tally import main

print("ready", flush=True)
for _line in sys.stdin:
    main()
    print("done", flush=True)
