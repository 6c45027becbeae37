// Package barrels stores rain water.
package barrels

import (
	"errors"
	"fmt"
	"sync"
)

// ErrFull is returned when a barrel overflows.
var ErrFull = errors.New("the barrel is full }")

const (
	litresPerGallon = 3.785
	maximumCapacity = 1000
)

// Volume is an amount of water in litres.
type Volume float64

// Number is a constraint.
type Number interface {
	~int | ~float64
}

// Barrel stores water.
type Barrel struct {
	mu       sync.Mutex
	capacity Volume
	content  Volume
	listener func(event string) error
}

type (
	Event struct {
		Name   string
		Amount Volume
	}

	Handler func(Event) error
)

// New creates a barrel.
func New(capacity Volume) (*Barrel, error) {
	if capacity <= 0 {
		return nil, fmt.Errorf("invalid capacity %v", capacity)
	}
	return &Barrel{capacity: capacity}, nil
}

// Fill adds water.
func (b *Barrel) Fill(
	amount Volume,
	options ...func(*Barrel),
) (rest Volume, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, option := range options {
		option(b)
	}
	b.content += amount
	return 0, nil
}

func (b *Barrel) String() string {
	return fmt.Sprintf(`%v of
%v {`, b.content, b.capacity)
}

func Sum[T Number](values ...T) T {
	var total T
	for _, value := range values {
		total += value
	}
	return total
}

var handlers = map[string]Handler{
	"rain": func(event Event) error {
		return nil
	},
}
