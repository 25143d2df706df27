package main

const blockSide = 32

// matrices lie quadrant by quadrant, down to blocks.
type matrices struct {
	side    int
	a, b, c []float32
}

func fill(piece []float32, side, row, column int, f func(i, j int) int) {
	if side == blockSide {
		for place := range piece {
			piece[place] = float32(f(row+place/side, column+place%side))
		}
		return
	}
	half := side / 2
	size := half * half
	for i := 0; i < 4; i++ {
		fill(piece[i*size:(i+1)*size], half, row+i/2*half, column+i%2*half, f)
	}
}

func weigh(piece []float32, side, row, column int) uint64 {
	var sum uint64
	if side == blockSide {
		for place, value := range piece {
			weight := ((row+place/side)%7 + 1) * ((column+place%side)%5 + 1)
			sum += uint64(value) * uint64(weight)
		}
		return sum
	}
	half := side / 2
	size := half * half
	for i := 0; i < 4; i++ {
		sum += weigh(piece[i*size:(i+1)*size], half, row+i/2*half, column+i%2*half)
	}
	return sum
}

func newMatrices(told int) *matrices {
	side := blockSide
	for side < told {
		side *= 2
	}
	m := &matrices{side: side}
	m.a = make([]float32, side*side)
	m.b = make([]float32, side*side)
	m.c = make([]float32, side*side)
	fill(m.a, side, 0, 0, func(i, j int) int { return (i + 2*j) % 3 })
	fill(m.b, side, 0, 0, func(i, j int) int { return (3*i + j) % 4 })
	return m
}

func (m *matrices) multiply() uint64 {
	for i := range m.c {
		m.c[i] = 0
	}
	product(m.a, m.b, m.c, m.side)
	return weigh(m.c, m.side, 0, 0)
}

func product(a, b, c []float32, side int) {
	if side == blockSide {
		block(a, b, c)
		return
	}
	half := side / 2
	size := half * half
	piece := func(of []float32, i int) []float32 { return of[i*size : (i+1)*size] }
	for inner := 0; inner < 2; inner++ {
		all(4, func(i int) {
			left, right := piece(a, i/2*2+inner), piece(b, 2*inner+i%2)
			product(left, right, piece(c, i), half)
		})
	}
}

func block(a, b, c []float32) {
	for i := 0; i < blockSide; i++ {
		row := c[i*blockSide : (i+1)*blockSide]
		for k := 0; k < blockSide; k++ {
			factor := a[i*blockSide+k]
			with := b[k*blockSide : (k+1)*blockSide]
			for j := range row {
				row[j] += factor * with[j]
			}
		}
	}
}
