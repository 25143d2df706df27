package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"syscall"
	"time"
)

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	of := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)*1e-6 }
	return of(usage.Utime) + of(usage.Stime)
}

// measure runs once as often as the limit allows, at least once. Every run must give one answer.
func measure(name string, limit float64, once func() uint64) {
	var answer uint64
	first, differs := true, false
	run := func(iterations int) float64 {
		start := time.Now()
		for i := 0; i < iterations; i++ {
			got := once()
			differs = differs || (!first && got != answer)
			first, answer = false, got
		}
		return time.Since(start).Seconds()
	}
	cpu := cpuSeconds()
	wall := run(1)
	median := wall
	if wall >= limit {
		cpu = (cpuSeconds() - cpu) / wall
	} else {
		iterations := 1
		for wall*8 < limit {
			iterations *= 2
			wall = run(iterations)
		}
		var times []float64
		start := time.Now()
		cpu = cpuSeconds()
		for len(times) == 0 || time.Since(start).Seconds() < limit {
			times = append(times, run(iterations)/float64(iterations))
		}
		cpu = (cpuSeconds() - cpu) / time.Since(start).Seconds()
		sort.Float64s(times)
		median = (times[(len(times)-1)/2] + times[len(times)/2]) / 2
	}
	if differs {
		fmt.Fprintln(os.Stderr, "not every run gave the same answer")
		os.Exit(3)
	}
	fmt.Printf("%s\ttime\t%g\n%s\tcpu\t%g\n%s\tanswer\t%d\n", name, median, name, cpu, name, answer)
	printPeak(name)
}

func printPeak(name string) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmHWM:" {
			fmt.Printf("%s\tpeak\t%s\n", name, fields[1])
		}
	}
}
