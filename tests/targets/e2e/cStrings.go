// Strings that are handed to C and back by what cgo makes of C.CString and C.GoString.
package main

/*
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) int lengthOf(const char *text) { return (int)strlen(text); }
*/
import "C"

import (
	"fmt"
	"os"
	"unsafe"
)

//go:noinline
func measure(text string) (int, string) {
	copied := C.CString(text)
	defer C.free(unsafe.Pointer(copied))
	return int(C.lengthOf(copied)), C.GoString(copied)
}

func main() {
	fmt.Println(measure("ink"))
	fmt.Println(measure("fountain pen"))
	os.Exit(4)
}
