package engine

import "time"

// Client talks to a server.
type Client struct {
	Address string
	Timeout time.Duration
}

const DefaultPort = 9090

// Connect opens a connection.
func Connect(address string, timeout time.Duration) (*Client, error) {
	return open(address)
}

func open(address string) (*Client, error) {
	return &Client{Address: address}, nil
}
