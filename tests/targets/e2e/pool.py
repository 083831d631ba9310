"""Calls a C library in the processes of a multiprocessing pool that forks; argv[1] is the library."""
import ctypes
import multiprocessing
import sys

library = ctypes.CDLL(sys.argv[1])
library.geometry_area.restype = ctypes.c_double
library.geometry_area.argtypes = [ctypes.c_double, ctypes.c_double]


def area(side):
    return library.geometry_area(side, 2.0)


if __name__ == "__main__":
    print("ready", flush=True)
    sys.stdin.readline()
    context = multiprocessing.get_context("fork")
    with context.Pool(3) as pool:
        print(sum(pool.map(area, range(60), chunksize=1)), flush=True)
