module report

go 1.19
