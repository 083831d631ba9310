// Starts `starts <program> <number>` with os/exec and ends with its status.
package main

import (
	"os"
	"os/exec"
)

func main() {
	command := exec.Command(os.Args[1], os.Args[2])
	command.Stdout = os.Stdout
	if err := command.Run(); err != nil {
		os.Exit(command.ProcessState.ExitCode())
	}
}
