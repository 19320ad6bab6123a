package engine

// Client talks to a server.
type Client struct {
	Address string
	Retries int
}

const DefaultPort = 8080

// Connect opens a connection.
func Connect(address string) (*Client, error) {
	return dial(address)
}

// Close ends it.
func (c *Client) Close() error {
	return nil
}

func dial(address string) (*Client, error) {
	return &Client{Address: address}, nil
}
