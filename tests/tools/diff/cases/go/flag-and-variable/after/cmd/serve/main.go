package main

import (
	"flag"
	"os"
)

var port = flag.Int("port", 9090, "where to listen")
var host = flag.String("host", "127.0.0.1", "the interface")

func main() {
	flag.Parse()
	serve(*port, os.Getenv("ENGINE_API_TOKEN"))
}
