// Uses the bridges for OpenCombine as a program would. It prints nothing if everything is as expected.
import OpenCombine
import RetrieverBridges
import RetrieverOpenCombine
import Synchronization

struct Failed: Error {}

func check(_ isTrue: Bool, _ message: String) {
  if !isTrue { fatalError(message) }
}

let three = Values<Int, Failed>([1, 2, 3], then: .finished)
check(try await three.singleResult() == 1, "singleResult returns the first value")

var all: [Int] = []
for try await value in three.values(prefetch: 2) { all.append(value) }
check(all == [1, 2, 3], "values returns all values in order")

do {
  _ = try await Values<Int, Failed>([], then: .finished).singleResult()
  fatalError("a publisher without a value is an error")
} catch is MissingOutputError {}

do {
  for try await _ in Values<Int, Failed>([1], then: .failure(Failed())).values(prefetch: 1) {}
  fatalError("a failure is thrown")
} catch is Failed {}

let isCancelled = Atomic<Bool>(false)
let (subscriptions, subscribed) = AsyncStream.makeStream(of: Void.self)
let task = Task {
  let silence = Silence<Int, Failed>(
    subscribed: { subscribed.yield() },
    cancelled: { isCancelled.store(true, ordering: .relaxed) })
  return try await silence.singleResult()
}
for await _ in subscriptions { break }
task.cancel()
do {
  _ = try await task.value
  fatalError("a cancelled task throws")
} catch is CancellationError {}
check(isCancelled.load(ordering: .relaxed), "the subscription is cancelled")
