package main

const mostQueens = 16

// board has the queens of the first rows.
type board struct {
	rows    int
	columns [mostQueens]int8
}

func (b *board) isSafe(column int) bool {
	for row, away := b.rows-1, 1; row >= 0; row, away = row-1, away+1 {
		off := int(b.columns[row]) - column
		if off == 0 || off == away || off == -away {
			return false
		}
	}
	return true
}

func queens(side int, on board) uint64 {
	if on.rows == side {
		return 1
	}
	var next [mostQueens]board
	var parts [mostQueens]uint64
	count := 0
	for column := 0; column < side; column++ {
		if on.isSafe(column) {
			next[count] = on
			next[count].columns[on.rows] = int8(column)
			next[count].rows++
			count++
		}
	}
	all(count, func(i int) { parts[i] = queens(side, next[i]) })
	var sum uint64
	for _, part := range parts[:count] {
		sum += part
	}
	return sum
}
