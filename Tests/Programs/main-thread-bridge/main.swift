import Dispatch
import Foundation
import RetrieverBridges

// Tests what requires a main thread outside of any test: the main actor continues to run while the main thread
// blocks.

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
