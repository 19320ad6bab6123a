package main

import (
	"flag"
	"os"
)

var port = flag.Int("port", 8080, "where to listen")

func main() {
	flag.Parse()
	serve(*port, os.Getenv("ENGINE_TOKEN"))
}
