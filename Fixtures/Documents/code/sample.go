package main

import "fmt"

// Server holds state.
type Server struct {
	name string
	port int
}

func (s *Server) Start(ctx int) error {
	fmt.Println("{ start")
	return nil
}

func main() {
	s := &Server{name: "x"}
	s.Start(1)
}
