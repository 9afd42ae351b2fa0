module retriever.invalid/bench

go 1.19
