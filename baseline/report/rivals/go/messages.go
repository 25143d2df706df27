package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
)

const (
	ends   = 4
	places = 100
)

// channel has four senders and four receivers share one channel; gives what was received.
func channel(messages uint64) uint64 {
	shared := make(chan uint64, places)
	sent := make(chan struct{}, ends)
	received := make(chan uint64, ends)
	for i := 0; i < ends; i++ {
		go func() {
			count := uint64(0)
			for range shared {
				count++
			}
			received <- count
		}()
		go func() {
			for message := uint64(0); message < messages/ends; message++ {
				shared <- message
			}
			sent <- struct{}{}
		}()
	}
	for i := 0; i < ends; i++ {
		<-sent
	}
	close(shared)
	sum := uint64(0)
	for i := 0; i < ends; i++ {
		sum += <-received
	}
	return sum
}

func orExit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func send(end net.Conn, message uint64) {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], message)
	_, err := end.Write(bytes[:])
	orExit(err)
}

func receive(end net.Conn) uint64 {
	var bytes [8]byte
	_, err := io.ReadFull(end, bytes[:])
	orExit(err)
	return binary.LittleEndian.Uint64(bytes[:])
}

// tcp connects two ends; each call sends so many messages and gives how many answers were right.
// Go sends small packets at once, unless told otherwise.
func tcp(messages uint64) func() uint64 {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	orExit(err)
	one, err := net.Dial("tcp", listener.Addr().String())
	orExit(err)
	other, err := listener.Accept()
	orExit(err)
	return func() uint64 {
		right := make(chan uint64)
		go func() {
			for i := uint64(0); i < messages; i++ {
				send(other, receive(other)+1)
			}
		}()
		go func() {
			count := uint64(0)
			for message := uint64(0); message < messages; message++ {
				send(one, message)
				if receive(one) == message+1 {
					count++
				}
			}
			right <- count
		}()
		return <-right
	}
}
