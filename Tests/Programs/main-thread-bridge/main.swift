import Dispatch
import Foundation
import RetrieverBridges

// What can only be seen on a main thread that belongs to no test: while it blocks, the main actor goes on.

let sum = try runBlocking {
  let here = await MainActor.run { Thread.isMainThread ? 1 : 0 }
  let there = await Task { @MainActor in 10 }.value
  return here + there
}
print(sum)

DispatchQueue.main.async {
  let value = (try? runBlocking { 100 }) ?? 0
  print(value)
  exit(0)
}
dispatchMain()
