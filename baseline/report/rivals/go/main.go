// Goroutines: one for each fork; the last one runs in place.
//
// PROGRAM WORKLOAD SIZE THREADS MILLISECONDS prints lines of WORKLOAD<TAB>METRIC<TAB>FIGURE.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

// all runs f(0) to f(count - 1) and waits for them.
func all(count int, f func(i int)) {
	if count == 0 {
		return
	}
	var group sync.WaitGroup
	group.Add(count - 1)
	for i := 0; i < count-1; i++ {
		go func(i int) {
			defer group.Done()
			f(i)
		}(i)
	}
	f(count - 1)
	group.Wait()
}

func fib(n uint64) uint64 {
	if n < 2 {
		return n
	}
	var parts [2]uint64
	all(2, func(i int) { parts[i] = fib(n - 1 - uint64(i)) })
	return parts[0] + parts[1]
}

func skynet(first, leaves uint64) uint64 {
	if leaves <= 1 {
		return first
	}
	var parts [10]uint64
	below := leaves / 10
	all(10, func(i int) { parts[i] = skynet(first+uint64(i)*below, below) })
	var sum uint64
	for _, part := range parts {
		sum += part
	}
	return sum
}

type node struct {
	value       uint64
	left, right *node
}

// perfect makes a tree level by level, from the left.
func perfect(nodes uint64) *node {
	count := uint64(1)
	root := &node{value: count}
	level := []*node{root}
	for 2*uint64(len(level))+count <= nodes {
		var next []*node
		for _, parent := range level {
			parent.left = &node{value: count + 1}
			parent.right = &node{value: count + 2}
			count += 2
			next = append(next, parent.left, parent.right)
		}
		level = next
	}
	return root
}

func sum(root *node) uint64 {
	if root == nil {
		return 0
	}
	var parts [2]uint64
	all(2, func(i int) {
		if i == 0 {
			parts[i] = sum(root.left)
		} else {
			parts[i] = sum(root.right)
		}
	})
	return root.value + parts[0] + parts[1]
}

func workload(name string, size uint64) func() uint64 {
	switch name {
	case "fib":
		return func() uint64 { return fib(size) }
	case "skynet":
		return func() uint64 { return skynet(0, size) }
	case "nqueens":
		return func() uint64 { return queens(int(size), board{}) }
	case "matmul":
		matrices := newMatrices(int(size))
		return matrices.multiply
	case "tree":
		tree := perfect(size)
		return func() uint64 { return sum(tree) }
	case "channel":
		return func() uint64 { return channel(size) }
	case "tcp":
		return tcp(size)
	}
	return nil
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		fmt.Println(runtime.Version())
		return
	}
	var numbers [3]uint64
	for i := range numbers {
		if len(os.Args) != 5 {
			fmt.Fprintln(os.Stderr, "usage: WORKLOAD SIZE THREADS MILLISECONDS")
			os.Exit(2)
		}
		number, err := strconv.ParseUint(os.Args[2+i], 10, 64)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		numbers[i] = number
	}
	runtime.GOMAXPROCS(int(numbers[1]))
	once := workload(os.Args[1], numbers[0])
	if once == nil {
		fmt.Fprintln(os.Stderr, "there is no workload", os.Args[1])
		os.Exit(2)
	}
	measure(os.Args[1], float64(numbers[2])/1000, once)
}
